// Columns that a log spells otherwise than the robot.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::inspection {

/// Two spellings of one column.
struct Spelling {
  std::string in_log, of_robot;
};

/// `unknown`: columns of the log that the robot does not have; `log`: all of them. A column of a joint (`q.`, `dq.`, `ddq.`,
/// `tau.`) is another spelling of one that the log lacks where the names are equal but for capitals, `_`, `-` and the word
/// `joint` before or behind: `q.Left_Knee` and `q.left_knee_joint`. Neither may fit a third column, and a name of the robot's
/// links or joints means that link or joint.
std::vector<Spelling> other_spellings(const Model& model, const std::vector<std::string>& unknown,
                                      const std::vector<std::string>& log);

}  // namespace sparsedyn::inspection
