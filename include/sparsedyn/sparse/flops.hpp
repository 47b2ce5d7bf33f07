// Operations of a calculation.
#pragma once

namespace sparsedyn {

/// Multiplications, additions and subtractions, and divisions. A change of sign is free.
struct Flops {
  long mul = 0, add = 0, div = 0;                 // of each kind
  long total() const { return mul + add + div; }  // of all
};
/// Of both.
inline Flops operator+(const Flops& a, const Flops& b) { return {a.mul + b.mul, a.add + b.add, a.div + b.div}; }
/// Kind by kind.
inline bool operator==(const Flops& a, const Flops& b) { return a.mul == b.mul && a.add == b.add && a.div == b.div; }
/// Likewise.
inline bool operator!=(const Flops& a, const Flops& b) { return !(a == b); }

}  // namespace sparsedyn
