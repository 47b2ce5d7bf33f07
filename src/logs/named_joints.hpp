// Which joints the columns of a log name: the robot's, or those of another robot.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The columns `q.`, `dq.`, `ddq.` and `tau.` of the robot's joints, those of mimic joints too, without the base's; the joint
/// of each.
std::map<std::string, std::string> joints_of_columns(const Model& model);

/// The joints that these columns are of, in the model's order.
std::vector<std::string> moving_joints(const Model& model);

/// Whether the column is one of a joint that does not move: fixed in the robot's file, or held where it was loaded.
bool is_of_fixed_joint(const Model& model, const std::string& column);

/// Whether the column is one of a floating base, which this robot has not.
bool is_of_missing_base(const Model& model, const std::string& column);

/// The joints that a log names, each once, in the log's order.
struct NamedJoints {
  std::vector<std::string> own;    // of the robot, fixed ones too
  std::vector<std::string> other;  // what stands behind `q.` or `dq.` and is nothing of the robot's
};
NamedJoints named_joints(const Model& model, const std::vector<std::string>& columns);

/// Of a log that names joints, none of which the robot has, and holds no readings `y.`, which may be the robot's: "12 joints,
/// none of them of arm: LF_HAA, …"; else nothing.
std::string other_robot_text(const Model& model, const std::vector<std::string>& columns);

}  // namespace sparsedyn
