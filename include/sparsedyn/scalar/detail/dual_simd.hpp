// A simd of dual numbers with one derivative: a simd of values and one of derivatives.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

template <class S, int N>
struct SimdMemory<Dual<S, 1>, N> {
  SimdMemory<S, N> x, d;
  Dual<S, 1> operator[](int i) const { return {x[i], {d[i]}}; }
};

inline namespace SPARSEDYN_CODE {

template <class S, int N>
struct DualRegister {
  simd<S, N> x, d;
};

template <class S, int N>
constexpr int register_width<Dual<S, 1>, N> = N;

template <class S, int W>
struct SimdRegister<Dual<S, 1>, W, void> {
  using type = DualRegister<S, W>;
  static void load(const Dual<S, 1>* from, type& to) {
    S x[W], d[W];
    for (int i = 0; i < W; ++i) x[i] = from[i].x, d[i] = from[i].d[0];
    to = {sparsedyn::load<W>(x), sparsedyn::load<W>(d)};
  }
  static void store(const type& a, Dual<S, 1>* to) {
    for (int i = 0; i < W; ++i) to[i] = lane(a, i);
  }
  static void spread(const Dual<S, 1>& a, type& to) { to = {simd<S, W>(a.x), simd<S, W>(a.d[0])}; }
  static Dual<S, 1> lane(const type& a, int i) { return {a.x[i], {a.d[i]}}; }
};

template <class S, int N>
DualRegister<S, N> operator+(const DualRegister<S, N>& a, const DualRegister<S, N>& b) {
  return {a.x + b.x, a.d + b.d};
}
template <class S, int N>
DualRegister<S, N> operator-(const DualRegister<S, N>& a, const DualRegister<S, N>& b) {
  return {a.x - b.x, a.d - b.d};
}
template <class S, int N>
DualRegister<S, N> operator*(const DualRegister<S, N>& a, const DualRegister<S, N>& b) {
  return {a.x * b.x, a.x * b.d + a.d * b.x};
}
template <class S, int N>
DualRegister<S, N> operator*(const Dual<S, 1>& s, const DualRegister<S, N>& b) {
  return {s.x * b.x, s.x * b.d + s.d[0] * b.x};
}
template <class S, int N>
DualRegister<S, N> operator-(const DualRegister<S, N>& a) {
  return {-a.x, -a.d};
}

template <class S>
simd<Dual<S, 1>, 4> lanes(const Dual<S, 1>& a, const Dual<S, 1>& b, const Dual<S, 1>& c, const Dual<S, 1>& d) {
  simd<Dual<S, 1>, 4> r;
  r.part[0] = {lanes(a.x, b.x, c.x, d.x), lanes(a.d[0], b.d[0], c.d[0], d.d[0])};
  return r;
}
template <class S, int N>
simd<Dual<S, 1>, N> load(const SimdMemory<Dual<S, 1>, N>& from) {
  simd<Dual<S, 1>, N> r;
  r.part[0] = {load(from.x), load(from.d)};
  return r;
}
template <class S, int N, int W>
void keep(const simd<Dual<S, 1>, N, W>& a, SimdMemory<Dual<S, 1>, N>& to) {
  keep(a.part[0].x, to.x), keep(a.part[0].d, to.d);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
