// How hard gravity may pull at a freedom: what rounding of its torque is beside, where all its terms vanish.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// At any posture, at most: |g| Σ (m ‖lever‖ + ‖h‖) over the bodies that the freedom turns, with the way from its joint as
/// lever, N m; |g| Σ m of those that it shifts, N. O(bodies).
double weight_on(const Model& model, int freedom);

}  // namespace sparsedyn
