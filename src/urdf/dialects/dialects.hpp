// What simulators and controllers add to URDFs, and what of it enters the dynamics.
#pragma once

#include "sparsedyn/model/model.hpp"
#include "urdf/robot_elements.hpp"

namespace sparsedyn::urdf {

/// Armature of the motors that transmissions describe, those of <ros2_control> and with Drake's names too, added to what there
/// is; a warning for each transmission that adds nothing. Throws InputError for numbers that are none or negative, unknown
/// joints, joints with several freedoms, and motors shared by joints.
void set_rotors(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report);

/// Springs of Gazebo's <gazebo reference="JOINT">: stiffness k and, for the reference q0, the offset −k q0. A warning for what
/// says something of springs and damping and adds nothing. Throws InputError for numbers that are none, negative stiffness, a
/// second spring, and joints with several freedoms.
void set_springs(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report);

/// Warns of loops and forces between links that simulators know and the tree does not hold; notes springs as passed over.
void note_loops(const XmlFile& file, LoadReport& report);

}  // namespace sparsedyn::urdf
