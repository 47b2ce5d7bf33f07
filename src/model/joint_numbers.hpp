// What a joint at hand adds and may do: set_joint_physics and set_joint_limits look for it by name, through all joints.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of a model in which every joint is on its own. joint: index in Model::joints. Throw as the functions by name do.
/// @{
void set_physics_of(Model& model, int joint, const JointPhysics& physics);
void set_limits_of(Model& model, int joint, const JointLimits& limits);
/// @}

/// The same of a joint with any number of freedoms, one for each. A body of several freedoms, such as a ball, may be damped,
/// rub and be loaded along each; its armature is the same for all, and it has no spring, as its coordinates are no angles.
/// @{
void set_physics_of(Model& model, int joint, const std::vector<JointPhysics>& each);
void set_limits_of(Model& model, int joint, const std::vector<JointLimits>& each);
/// @}

/// Whether a joint that is held there stands beyond its limits, in words; empty: it does not.
std::string beyond_limits(const std::string& joint, double value, const JointLimits& limits);

}  // namespace sparsedyn
