// What the joints of a robot carry: where it is nothing, forward dynamics has no answer.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of a joint and all that hangs on it: mass; inertia without mass; neither.
enum class Load { mass, inertia, nothing };

/// One a joint, in the order of model.joints; joints that move together (mimic) carry what any of them does. Cost: one pass
/// over the bodies.
std::vector<Load> joint_loads(const Model& model);

/// Whether anything that moves has mass.
bool moves_mass(const Model& model);

}  // namespace sparsedyn
