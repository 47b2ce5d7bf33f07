// What an algorithm may ask about the value of a scalar. Recorded expressions, counters and batches have no value to branch on:
// for them the answer is always "fine".
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

/// |x| of scalars that carry one value. Specialise for such scalars only.
template <class S>
struct Magnitude {
  static constexpr bool exists = false;
};
template <>
struct Magnitude<double> {
  static constexpr bool exists = true;
  static double of(double x) { return std::fabs(x); }
};
template <>
struct Magnitude<float> {
  static constexpr bool exists = true;
  static double of(float x) { return std::fabs(static_cast<double>(x)); }
};
template <>
struct Magnitude<std::complex<double>> {
  static constexpr bool exists = true;
  static double of(const std::complex<double>& x) { return std::fabs(x.real()); }
};

inline namespace SPARSEDYN_CODE {

/// By its bits: -ffast-math would take the answer of a comparison for granted.
inline bool is_finite(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits >> 52 & 0x7ff) != 0x7ff;
}

/// ε: from one to the next number, in float or in double.
template <class S>
constexpr double rounding_of() {
  return std::is_same_v<S, float> ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

/// A pivot that has lost half of its digits, or more, to the differences that it was computed by. Of scalars with values.
template <class S>
bool is_small_pivot(const S& pivot, const S& size) {
  constexpr double half_the_digits = std::is_same_v<S, float> ? 2e-2 : 1e-6;  // 64 √ε
  const double p = Magnitude<S>::of(pivot), least = half_the_digits * Magnitude<S>::of(size);
  return !(p > least) || !is_finite(p) || !is_finite(least);
}

/// A pivot no larger than what rounding may have made of it, `spread` times ε. Of scalars with values.
template <class S>
bool is_within_rounding(const S& pivot, double spread) {
  const double p = Magnitude<S>::of(pivot), least = 64 * rounding_of<S>() * spread;
  return !(p > least) || !is_finite(p) || !is_finite(least);
}

/// A pivot that is not finite, or no larger than the rounding of what it was computed from (`size`).
template <class S>
bool is_singular_pivot([[maybe_unused]] const S& pivot, [[maybe_unused]] const S& size) {
  if constexpr (Magnitude<S>::exists) {
    const double p = Magnitude<S>::of(pivot);
    const double least = 8 * rounding_of<S>() * Magnitude<S>::of(size);
    return !(p > least) || !is_finite(p) || !is_finite(least);
  } else {
    return false;
  }
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
