// Fitted joints, as files of robots hold them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// What joints of one freedom add to their bodies, by joint: `value` as π in regressor.hpp, friction's shape as `model` has it
/// (with_friction). Joints that add nothing and of which no number was fitted (x.sd is 0) are left out.
std::map<std::string, JointPhysics> fitted_joints(const Model& model, const Identification& x);

}  // namespace sparsedyn
