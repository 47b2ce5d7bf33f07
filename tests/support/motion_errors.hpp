// Kinematics, energies, momenta and Jacobians in double beside 34 digits.
#pragma once

#include <vector>

#include "support/awkward_errors.hpp"
#include "support/world_dynamics.hpp"

namespace sparsedyn::test {

/// Adds to `found` the errors at the motion that `world` has been given, which must be the state's. Moves the world otherwise.
void motion_errors(const AwkwardRobot& robot, const AwkwardState& state, WorldDynamics& world,
                   std::vector<AwkwardError>& found);

}  // namespace sparsedyn::test
