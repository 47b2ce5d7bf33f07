// A URDF with other damping and friction and all else as it was.
#pragma once

#include <map>
#include <string>

#include "sparsedyn/model/joint_physics.hpp"

namespace sparsedyn {

/// `text` with damping and friction of each named joint's <dynamics> replaced, other attributes kept; a joint without that
/// element gets one. What else a joint's physics holds, a URDF has no place for. What is not named stays, to the byte.
std::string rewrite_dynamics(const std::string& text, const std::map<std::string, JointPhysics>& joints);

}  // namespace sparsedyn
