// What lu_health.hpp asks of numbers, asked of several samples together. Inlined wherever it is used: the routine around it
// says which instructions there are.
#pragma once

#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

template <int N, int W>
[[gnu::always_inline]] inline simd<double, N, W> magnitude(const simd<double, N, W>& a) {
  simd<double, N, W> r;
  for (int i = 0; i < a.registers; ++i) r.part[i] = a.part[i] < 0.0 ? -a.part[i] : a.part[i];
  return r;
}
template <int N, int W>
[[gnu::always_inline]] inline simd<double, N, W> smaller(const simd<double, N, W>& a, const simd<double, N, W>& b) {
  simd<double, N, W> r;
  for (int i = 0; i < a.registers; ++i) r.part[i] = b.part[i] < a.part[i] ? b.part[i] : a.part[i];
  return r;
}
/// NaN already where b is infinite. (One condition for both would be asked lane by lane.)
template <int N, int W>
[[gnu::always_inline]] inline simd<double, N, W> larger(const simd<double, N, W>& a, const simd<double, N, W>& b) {
  simd<double, N, W> r;
  for (int i = 0; i < a.registers; ++i) r.part[i] = (a.part[i] < b.part[i] ? b.part[i] : a.part[i]) + (b.part[i] - b.part[i]);
  return r;
}
template <int N, int W>
[[gnu::always_inline]] inline simd<double, N, W> unless_zero(const simd<double, N, W>& a, const simd<double, N, W>& quotient) {
  simd<double, N, W> r;
  for (int i = 0; i < a.registers; ++i) r.part[i] = a.part[i] == 0.0 ? a.part[i] : quotient.part[i];
  return r;
}

}  // namespace sparsedyn
