// sin x and cos x in the library's own code: inlined where users call `sines`. Only sin_cos.hpp includes this.
#pragma once

#include <cstdint>
#include <cstring>

#include "sparsedyn/spatial/detail/sin_cos.hpp"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "sparsedyn itself is not to be compiled with -ffast-math: its checks compare with numbers that may be NaN"
#endif

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// x is reduced to r = x − k π/2, |r| ≤ π/4, with π/2 in three parts whose products with k are exact (Cody & Waite 1980); sine
/// and cosine of r are the minimax polynomials of fdlibm (Sun Microsystems 1993, k_sin.c, k_cos.c).
inline SinCos<double> sin_cos(const double& x) {
  if (!(std::fabs(x) <= 1e5)) return {std::sin(x), std::cos(x)};
  constexpr double shift = 6755399441055744.0;  // 1.5 · 2⁵²: adding it rounds to an integer, left in the lowest bits
  const double shifted = x * 0.63661977236758134308 + shift, k = shifted - shift;
  const double r = ((x - k * 1.57079632673412561417) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21;
  const double z = r * r;
  const double s =
      r +
      r * z *
          (-1.66666666666666324348e-01 +
           z * (8.33333333332248946124e-03 +
                z * (-1.98412698298579493134e-04 +
                     z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double c = 1.0 - (0.5 * z - z * z *
                                        (4.16666666666666019037e-02 +
                                         z * (-1.38888888888741095749e-03 +
                                              z * (2.48015872894767294178e-05 +
                                                   z * (-2.75573143513906633035e-07 +
                                                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  std::int64_t quadrant;
  std::memcpy(&quadrant, &shifted, sizeof quadrant);
  const bool odd = quadrant & 1;
  const double sine = odd ? c : s, cosine = odd ? s : c;
  return {quadrant & 2 ? -sine : sine, (quadrant + 1) & 2 ? -cosine : cosine};
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
