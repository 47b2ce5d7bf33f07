// A scalar that counts: any template of the library, run once on it, tells what it costs.
#pragma once

namespace sparsedyn {

/// Sums and differences are `add`; signs are free; sin, cos and tanh are one `trig` each.
struct OperationCounts {
  long mul = 0, add = 0, div = 0, sqrt = 0, trig = 0;    // each of its kind
  long flops() const { return mul + add + div + sqrt; }  // all but trig
};
/// Equal in every kind.
inline bool operator==(const OperationCounts& a, const OperationCounts& b) {
  return a.mul == b.mul && a.add == b.add && a.div == b.div && a.sqrt == b.sqrt && a.trig == b.trig;
}
/// Kind by kind.
inline OperationCounts operator+(const OperationCounts& a, const OperationCounts& b) {
  return {a.mul + b.mul, a.add + b.add, a.div + b.div, a.sqrt + b.sqrt, a.trig + b.trig};
}

/// Carries no value. Counts are kept for each thread.
class CountingScalar {
 public:
  /// No operation.
  CountingScalar() = default;
  /// No operation.
  CountingScalar(double) {}  // implicit: a robot's constants mix with the state

  /// Operations of this thread so far; may be set to zero.
  static OperationCounts& counts() {
    thread_local OperationCounts counts;
    return counts;
  }

  /// Counts one operation; signs are free.
  /// @{
  CountingScalar operator-() const { return {}; }
  CountingScalar operator+() const { return {}; }
  CountingScalar& operator+=(const CountingScalar& b) { return *this = *this + b; }
  CountingScalar& operator-=(const CountingScalar& b) { return *this = *this - b; }
  CountingScalar& operator*=(const CountingScalar& b) { return *this = *this * b; }
  CountingScalar& operator/=(const CountingScalar& b) { return *this = *this / b; }
  friend CountingScalar operator+(const CountingScalar&, const CountingScalar&) { return counted(counts().add); }
  friend CountingScalar operator-(const CountingScalar&, const CountingScalar&) { return counted(counts().add); }
  friend CountingScalar operator*(const CountingScalar&, const CountingScalar&) { return counted(counts().mul); }
  friend CountingScalar operator/(const CountingScalar&, const CountingScalar&) { return counted(counts().div); }
  friend CountingScalar sqrt(const CountingScalar&) { return counted(counts().sqrt); }
  friend CountingScalar sin(const CountingScalar&) { return counted(counts().trig); }
  friend CountingScalar cos(const CountingScalar&) { return counted(counts().trig); }
  friend CountingScalar tanh(const CountingScalar&) { return counted(counts().trig); }
  /// @}

 private:
  static CountingScalar counted(long& kind) {
    ++kind;
    return {};
  }
};

}  // namespace sparsedyn
