// The hyperbolic tangent of numbers that carry a complex step. Not the C library's, as MinGW's is NaN beyond |Re z| = 355.
#pragma once

#include <cmath>
#include <complex>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// tanh(x + i y) = (t (1 + u²) + i u (1 − t²)) / (1 + t² u²) with t = tanh x and u = tan y, and 1 − t² = 4 e / (1 + e)² with
/// e = exp(−2 |x|), which neither cancels nor overflows.
inline std::complex<double> complex_tanh(const std::complex<double>& z) {
  const double t = std::tanh(z.real()), u = std::tan(z.imag()), e = std::exp(-2 * std::fabs(z.real()));
  const double below = 1 + t * t * u * u;
  return {t * (1 + u * u) / below, u * (4 * e / ((1 + e) * (1 + e))) / below};
}

/// 1 − tanh² z, likewise, with e = exp(∓2 z), the one that decays.
inline std::complex<double> complex_sech_squared(const std::complex<double>& z) {
  const std::complex<double> e = std::exp(z.real() < 0 ? 2.0 * z : -2.0 * z), root = 2.0 / (1.0 + e);
  return e * root * root;
}

/// tanh of any scalar: what the scalar has under that name, but of complex numbers.
template <class S>
S tanh_of(const S& x) {
  using std::tanh;
  return tanh(x);
}
inline std::complex<double> tanh_of(const std::complex<double>& z) { return complex_tanh(z); }

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
