// What a joint adds to its bodies, as files have it.
#pragma once

#include "sparsedyn/json/document.hpp"
#include "sparsedyn/model/joint_physics.hpp"

namespace sparsedyn::json {

/// {"armature", "damping", "friction", "offset", "smoothing", "stribeck", "stribeck_velocity", "stiffness"}, none required.
JointPhysics read_physics(const Node& node);

}  // namespace sparsedyn::json
