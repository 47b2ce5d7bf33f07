// The inverse inertia that a row sees at the zero posture: constants of the robot, which set how soft its constraints are.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// With C the velocity of a body's centre of mass and M at q = 0: linear = tr(C_v M⁻¹ C_vᵀ)/3 (1/kg), angular =
/// tr(C_w M⁻¹ C_wᵀ)/3 (1/(kg m²)).
struct InverseWeight {
  double linear = 0, angular = 0;
};

struct InverseWeights {
  std::vector<InverseWeight> body;  // of each body
  std::vector<double> freedom;      // of each joint, by entry of the tree's v: (M⁻¹)_kk, of followers (G M⁻¹ Gᵀ)_kk
};

/// Throws std::invalid_argument where M(0) is singular.
InverseWeights inverse_weights(const Model& model);

}  // namespace sparsedyn
