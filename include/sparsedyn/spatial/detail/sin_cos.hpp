// sin x and cos x together. Half the time of a small robot's inverse dynamics would be spent in the C library's, one call each.
#pragma once

#include <cmath>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

template <class S>
struct SinCos {
  S sin, cos;
};

/// Within 2.5 units in the last place for |x| ≤ 1e5, and the C library's beyond and for values that are not finite. In the
/// library, for its sums of roundings do not survive -ffast-math.
SinCos<double> sines(double x) noexcept;

inline namespace SPARSEDYN_CODE {

template <class S>
SinCos<S> sin_cos(const S& x) {
  using std::cos;
  using std::sin;
  return {sin(x), cos(x)};
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn

#ifdef SPARSEDYN_LIBRARY
#include "spatial/sin_cos_of_doubles.hpp"
#else
namespace sparsedyn {
inline namespace SPARSEDYN_CODE {
inline SinCos<double> sin_cos(const double& x) { return sines(x); }
}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
#endif
