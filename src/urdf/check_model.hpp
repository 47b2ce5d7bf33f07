// What can only be judged knowing how the robot is used.
#pragma once

#include "robot_elements.hpp"

namespace sparsedyn::urdf {

/// Refuses a joint with the name of what holds the root: "base" where it floats, "world" where it is fixed.
void check_reserved_names(const XmlFile& file, const RobotElements& robot, bool floating);

/// Refuses numbers that overflowed and columns of logs that two joints would share; warns of mimic joints and of joints that
/// carry no mass.
void check_model(const XmlFile& file, const RobotElements& robot, const Model& model, LoadReport& report);

}  // namespace sparsedyn::urdf
