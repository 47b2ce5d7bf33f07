// A soft row's reference acceleration and regularisation, from solref and solimp (MuJoCo's documentation, "Computation",
// "Solver parameters"):
//   a* = −B J v − K d(r) r,    R = (1 − d)/d · w,    w the inverse inertia that the row sees at the zero posture.
#pragma once

#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn {

/// K (1/s²) and B (1/s). B = 2/(d_w t), K = 1/(d_w t ζ)², t at least 2 timesteps; or both as given, by d_w² and d_w.
struct Stiffness {
  double K, B;
};
Stiffness stiffness(const SolverReference& reference, const SolverImpedance& impedance, double timestep) noexcept;

/// d(r), between d0 and d_w.
double impedance_at(const SolverImpedance& impedance, double r) noexcept;
/// d'(r); at a kink that towards larger |r|, but 0 at the width.
double impedance_slope(const SolverImpedance& impedance, double r) noexcept;
/// d''(r); where it jumps that of smaller |r| at the middle, of larger |r| at the width (0).
double impedance_curvature(const SolverImpedance& impedance, double r) noexcept;

/// R, never zero.
double regularisation(double d, double inverse_weight) noexcept;

}  // namespace sparsedyn
