// The force of a block of rows as a function of j = J a − a*, minus the gradient of a convex cost, and its Hessian.
#pragma once

#include <array>

#include "contact_law.hpp"

namespace sparsedyn {

enum class Law {
  quadratic,  // f = pull − D j: equalities; pull: the multiplier of a hard row
  one_sided,  // f = −D min(j, 0), row by row: stops, contacts without friction, edges of pyramids
  bounded,    // f = −D j, at most `bound` in size: dry friction
  elliptic    // in the cone |f_t| ≤ μ f_n
};

/// A block's numbers at a state.
struct LawNumbers {
  static constexpr int most_rows = 10;  // a pyramid of five directions
  Law law = Law::quadratic;
  int rows = 0;
  std::array<double, most_rows> D{};     // 1/R
  std::array<double, most_rows> pull{};  // of quadratic
  double bound = 0;                      // of bounded
  std::array<double, 5> friction{};      // of elliptic, by tangential row
  double mu = 0;                         // of elliptic: sliding friction · √(R_t/R_n)
  double sliding = 0;                    // of elliptic: D_n / (μ² (1 + μ²))
};

/// f (rows), and with `h` not null the Hessian of the cost, rows × rows, ≥ 0.
void force(const LawNumbers& law, const double* j, double* f, double* h) noexcept;

/// Of a step dj: what of a block's cost does not change along it.
void look_ahead(const LawNumbers& law, const double* j, const double* dj, LawOutlook& outlook) noexcept;
/// Adds the first and second derivative of the cost by α.
void add_slope_along(const LawNumbers& law, const LawOutlook& outlook, const double* j, const double* dj, double alpha,
                     double& first, double& second) noexcept;

}  // namespace sparsedyn
