// A batch as vectors of the processor. Inlined wherever it is used: the routine around it says which instructions there are.
#pragma once

#include "sparsedyn/scalar/detail/simd.hpp"
#include "sparsedyn/sparse/batch.hpp"

namespace sparsedyn {

/// A Batch in memory is one of these, read and written as either.
template <int width>
using BatchVectors = simd<double, Batch::lanes, width>;

template <int width>
[[gnu::always_inline]] inline BatchVectors<width>* as_vectors(Batch* batch) {
  static_assert(sizeof(BatchVectors<width>) == sizeof(Batch) && alignof(BatchVectors<width>) <= alignof(Batch),
                "a Batch is vectors");
  return reinterpret_cast<BatchVectors<width>*>(batch);
}
template <int width>
[[gnu::always_inline]] inline const BatchVectors<width>* as_vectors(const Batch* batch) {
  return reinterpret_cast<const BatchVectors<width>*>(batch);
}

// What lu_health.hpp asks of numbers, asked of several samples together.

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
