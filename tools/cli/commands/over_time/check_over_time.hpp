// check --over-time: what a set's readings of a moving robot leave unseen, by name.
#pragma once

#include <string>

#include "cli/support/exit_code.hpp"
#include "cli/support/options.hpp"

namespace sparsedyn::cli {

/// constraints: a file of closed loops, or empty. Done where only the base's place and yaw are unseen of a robot in motion, and
/// forces of loops on which nothing depends; else no. Throws UsageError, AnswerIsNo.
ExitCode check_over_time(const RobotOptions& robot, const std::string& sensors, const std::string& constraints,
                         const std::string& rows, const CommonOptions& common);

}  // namespace sparsedyn::cli
