// Lanes of dual numbers with one derivative: four values and four derivatives, each in one vector.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/lanes.hpp"
#include "sparsedyn/scalar/dual.hpp"

namespace sparsedyn {

template <class S>
struct KeptLanes<Dual<S, 1>> {
  KeptLanes<S> x, d;
  Dual<S, 1> operator[](int i) const { return {x[i], {d[i]}}; }
};

inline namespace SPARSEDYN_CODE {

template <class S>
struct Lanes<Dual<S, 1>> {
  Lanes<S> x, d;
  Dual<S, 1> operator[](int i) const { return {x[i], {d[i]}}; }
};

template <class S>
Lanes<Dual<S, 1>> lanes(const Dual<S, 1>& a, const Dual<S, 1>& b, const Dual<S, 1>& c, const Dual<S, 1>& d) {
  return {lanes(a.x, b.x, c.x, d.x), lanes(a.d[0], b.d[0], c.d[0], d.d[0])};
}
template <class S>
Lanes<Dual<S, 1>> load(const Dual<S, 1>* from) {
  return lanes(from[0], from[1], from[2], from[3]);
}
template <class S>
Lanes<Dual<S, 1>> load(const KeptLanes<Dual<S, 1>>& from) {
  return {load(from.x), load(from.d)};
}
template <class S>
void keep(const Lanes<Dual<S, 1>>& a, KeptLanes<Dual<S, 1>>& to) {
  keep(a.x, to.x), keep(a.d, to.d);
}
template <class S>
void store(const Lanes<Dual<S, 1>>& a, Dual<S, 1>* to) {
  for (int i = 0; i < 4; ++i) to[i] = a[i];
}
template <class S>
Lanes<Dual<S, 1>> operator+(const Lanes<Dual<S, 1>>& a, const Lanes<Dual<S, 1>>& b) {
  return {a.x + b.x, a.d + b.d};
}
template <class S>
Lanes<Dual<S, 1>> operator-(const Lanes<Dual<S, 1>>& a, const Lanes<Dual<S, 1>>& b) {
  return {a.x - b.x, a.d - b.d};
}
template <class S>
Lanes<Dual<S, 1>> operator*(const Lanes<Dual<S, 1>>& a, const Lanes<Dual<S, 1>>& b) {
  return {a.x * b.x, a.x * b.d + a.d * b.x};
}
template <class S>
Lanes<Dual<S, 1>> operator*(const Dual<S, 1>& s, const Lanes<Dual<S, 1>>& b) {
  return {s.x * b.x, s.x * b.d + s.d[0] * b.x};
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
