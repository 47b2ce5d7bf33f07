// What can only be judged knowing how the robot is used.
#pragma once

#include "robot_elements.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::urdf {

/// Refuses a joint with the name of what holds the root: "base" where it floats, "world" where it is fixed.
void check_reserved_names(const XmlFile& file, const RobotElements& robot, bool floating);

/// Refuses numbers that overflowed, columns of logs that two joints would share, and what check_bodies refuses; warns of mimic
/// joints that are taken as independent and of joints whose acceleration nothing determines. model: every joint on its own.
void check_model(const XmlFile& file, const RobotElements& robot, const Model& model,
                 const std::vector<JointCoupling>& couplings, const LoadOptions& options, LoadReport& report);

/// Refuses moving bodies with a negative principal moment (see load.hpp for the bound), or warns of them.
void check_bodies(const XmlFile& file, const RobotElements& robot, const Model& model, bool lenient, LoadReport& report);

}  // namespace sparsedyn::urdf
