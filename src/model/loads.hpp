// What the joints of a robot carry: where it is nothing, forward dynamics has no answer.
#pragma once

#include <string>
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

/// "wrist moves no mass and no inertia: --lock massless fixes it", or nothing where there is no such joint.
std::string massless_advice(const Model& model);

/// Why a state is singular, with that advice.
std::string with_massless_advice(const std::string& why, const Model& model);

}  // namespace sparsedyn
