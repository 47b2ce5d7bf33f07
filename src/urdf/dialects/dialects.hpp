// What simulators and controllers add to URDFs, and what of it enters the dynamics.
#pragma once

#include "model/joint_numbers.hpp"
#include "sparsedyn/model/model.hpp"
#include "urdf/robot_elements.hpp"

namespace sparsedyn::urdf {

/// Changes what the joint adds to its bodies, where it is there: not locked or cut off. Throws InputError at `element` where it
/// has several freedoms; `what`: the spring, the motor.
template <class Change>
void change_physics(const XmlFile& file, const tinyxml2::XMLElement& element, const std::string& owner, const char* what,
                    const std::string& joint, Model& model, const Change& change) {
  const int j = model.find_joint(joint);
  if (j < 0) return;
  const Joint& there = model.joints[static_cast<std::size_t>(j)];
  if (there.nv != 1)
    file.fail(element.GetLineNum(), inside(owner, element),
              std::string("the ") + what + " of a joint with " + std::to_string(there.nv) + " freedoms", "a joint with one");
  JointPhysics physics = model.physics.empty() ? JointPhysics() : model.physics[static_cast<std::size_t>(there.v)];
  change(physics);
  set_physics_of(model, j, physics);
}

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
