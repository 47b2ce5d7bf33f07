// Parameters from what logs say of the torques, of bodies that exist: the convex problem
//
//   minimise  Σ_i |R_i β(π) − z_i|² / σ_i² + |(π − π₀) / s|²
//   subject to  pseudo-inertia of each body ≻ 0  (Wensing, Kim & Slotine 2018),  armature, damping, friction ≥ 0
//
// by Newton's method on a logarithmic barrier (Boyd & Vandenberghe 2004, ch. 11). The noise σ_i of each joint is estimated with
// the parameters, by reweighting.
#pragma once

#include <vector>

#include "sparsedyn/identification/torque_information.hpp"

namespace sparsedyn {

struct IdentifyOptions {
  /// Which parameters are fitted, one each; empty: all. The others keep their number in `start`.
  std::vector<char> fitted;
  /// s: deviation of a body's parameters from the start's, relative to its own size: each at least 10 % of the largest of its
  /// kind in the body. Of joint parameters: 1 in SI units.
  double prior = 0.3;
  /// π₀; empty: parameters(model).
  std::vector<double> start;
  /// Deviation of each torque (N m or N); empty: estimated.
  std::vector<double> sigma;
};

struct Identification {
  std::vector<double> value, sd;   // by parameter; sd 0 where it was not fitted
  std::vector<char> determined;    // seen by the data: sd below half the prior's
  BaseParameters base;             // of the fitted parameters
  std::vector<double> base_value;  // by base parameter
  std::vector<double> base_sd;     // from the data alone; NaN where they do not determine it
  std::vector<double> sigma;       // by freedom
  int rank = 0;                    // of the fitted parameters, in the data
  double condition = 0;            // of the weighted base regressor with columns of unit length; inf where rank is lost
  long rows = 0;                   // scalar torques
  double chi_square = 0;           // weighted squares over rows − rank
};

/// Throws std::invalid_argument where sizes are wrong or there are fewer rows than base parameters. Offline.
Identification identify(TorqueInformation& information, const IdentifyOptions& options = {});

/// Smallest eigenvalue of a body's pseudo-inertia [Σ h; hᵀ m] beside its trace, from its ten numbers: positive where the body
/// can exist.
double consistency(const double* ten);

}  // namespace sparsedyn
