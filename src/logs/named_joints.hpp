// Which joints the columns of a log name: the robot's, or those of another robot.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// What follows `q.`, `dq.`, `ddq.` or `tau.` in the names of columns, without `base.*`; each once, in the log's order. A joint
/// of several freedoms is named by its coordinates: `hip.qx`.
struct NamedJoints {
  std::vector<std::string> own;    // of the robot, mimic joints too
  std::vector<std::string> other;  // that the robot has not
};
NamedJoints named_joints(const Model& model, const std::vector<std::string>& columns);

/// The coordinates of joints, those of mimic joints too, without the base's.
std::vector<std::string> joint_coordinates(const Model& model);

/// Of a log that names joints, none of which the robot has: "12 joints, none of them of arm: LF_HAA, … (near: …)"; else
/// nothing.
std::string other_robot_text(const Model& model, const std::vector<std::string>& columns);

}  // namespace sparsedyn
