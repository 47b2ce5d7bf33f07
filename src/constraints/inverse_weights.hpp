// The inverse inertia that a row sees at the zero posture: constants of the robot, which set how soft its constraints are.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// With C the velocity of a body's centre of mass: linear = tr(C_v M⁻¹ C_vᵀ)/3 (1/kg), angular = tr(C_w M⁻¹ C_wᵀ)/3
/// (1/(kg m²)). Where some freedom moves the body and no mass, both are infinite: then they are those of the robot with such
/// freedoms held still, and `idle` (an entry of v) is one of them.
struct InverseWeight {
  double linear = 0, angular = 0;
  int idle = -1;  // none
};

struct InverseWeights {
  std::vector<InverseWeight> body;  // of each body
  std::vector<double> freedom;      // of each joint, by entry of the tree's v: (M⁻¹)_kk, of followers (G M⁻¹ Gᵀ)_kk
  std::vector<int> idle;            // likewise: as InverseWeight::idle
};

/// M is that of the zero posture. Where it is singular there alone, as of a straight wrist on massless links, that of the first
/// posture with all coordinates at ½, 1, 3/2 … (rad or m; 5 of them) at which it is not.
InverseWeights inverse_weights(const Model& model);

}  // namespace sparsedyn
