// Which combinations of damping and friction the joints' torques determine, by rules. Armature and offset are not here: they
// are determined together with the inertial parameters of bodies.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

/// One row over all parameters for each combination that a torque determines; v is the leader's velocity and m the multiplier
/// of a joint that follows it (1 for the leader itself). The leader's torque holds the damping of each joint times m², and the
/// friction of each joint times |m| and two functions of v:
///   (1 − stribeck) tanh(m v / smoothing)   and   stribeck tanh(m v / smoothing) / (1 + (m v / stribeck_velocity)²).
/// Joints for which one of these functions is the same cannot be told apart by it, so their friction is added up.
std::vector<Eigen::VectorXd> joint_rows(const Model& model, const ParameterIndex& index);

}  // namespace sparsedyn
