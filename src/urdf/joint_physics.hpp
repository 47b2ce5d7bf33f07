// <limit> and <dynamics> of the joints that move.
#pragma once

#include "robot_elements.hpp"

namespace sparsedyn::urdf {

/// Position, velocity and effort limits of joints with one freedom. What cannot be read is passed over with a warning.
void set_limits(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report);

/// Damping and friction. Throws InputError for numbers that are none or negative, and on joints with several freedoms.
void set_dynamics(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report);

}  // namespace sparsedyn::urdf
