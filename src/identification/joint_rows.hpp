// What joints show of their own parameters, by rules: all but rotors and offsets, which stand beside their bodies' numbers.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

/// Rows over all parameters. Damping shows m² of each joint in its leader's torque. Friction shows |m| of all that are the same
/// function of v: of tanh(m v / smoothing) as it is, a share of 1 − stribeck, and of the same times 1 / (1 + (m v /
/// stribeck_velocity)²), of stribeck.
std::vector<Eigen::VectorXd> joint_rows(const Model& model, const ParameterIndex& index);

}  // namespace sparsedyn
