// A batch as vectors of the processor. Inlined wherever it is used: the routine around it says which instructions there are.
#pragma once

#include "sparsedyn/sparse/detail/batch.hpp"

namespace sparsedyn {

/// width: numbers a vector. A Batch in memory is one of these, read and written as either.
template <int width>
struct [[gnu::may_alias]] LaneVectors {
  typedef double Vector __attribute__((vector_size(8 * width)));
  static constexpr int vectors = Batch::lanes / width;
  Vector part[vectors];

  LaneVectors() = default;
  [[gnu::always_inline]] explicit LaneVectors(double x) {
    for (Vector& p : part) p = x - Vector{};
  }
};

template <int width>
[[gnu::always_inline]] inline LaneVectors<width> operator+(const LaneVectors<width>& a, const LaneVectors<width>& b) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = a.part[i] + b.part[i];
  return result;
}
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> operator-(const LaneVectors<width>& a, const LaneVectors<width>& b) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = a.part[i] - b.part[i];
  return result;
}
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> operator*(const LaneVectors<width>& a, const LaneVectors<width>& b) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = a.part[i] * b.part[i];
  return result;
}
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> operator/(const LaneVectors<width>& a, const LaneVectors<width>& b) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = a.part[i] / b.part[i];
  return result;
}
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> operator-(const LaneVectors<width>& a) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = -a.part[i];
  return result;
}

// What lu_health.hpp asks of numbers.

template <int width>
[[gnu::always_inline]] inline LaneVectors<width> magnitude(const LaneVectors<width>& a) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = a.part[i] < 0.0 ? -a.part[i] : a.part[i];
  return result;
}
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> smaller(const LaneVectors<width>& a, const LaneVectors<width>& b) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = b.part[i] < a.part[i] ? b.part[i] : a.part[i];
  return result;
}
/// NaN already where b is infinite. (One condition for both would be asked lane by lane.)
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> larger(const LaneVectors<width>& a, const LaneVectors<width>& b) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i)
    result.part[i] = (a.part[i] < b.part[i] ? b.part[i] : a.part[i]) + (b.part[i] - b.part[i]);
  return result;
}
template <int width>
[[gnu::always_inline]] inline LaneVectors<width> unless_zero(const LaneVectors<width>& a, const LaneVectors<width>& quotient) {
  LaneVectors<width> result;
  for (int i = 0; i < a.vectors; ++i) result.part[i] = a.part[i] == 0.0 ? a.part[i] : quotient.part[i];
  return result;
}

}  // namespace sparsedyn
