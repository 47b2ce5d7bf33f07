// optimise --over-time: the order in which a Tracker takes the rows of an interval.
#pragma once

#include <string>

#include "cli/support/exit_code.hpp"
#include "cli/support/options.hpp"

namespace sparsedyn::cli {

/// constraints: a file of closed loops, or empty. Writes the plan and what each strategy costs. Throws UsageError, InputError,
/// AnswerIsNo.
ExitCode optimise_over_time(const RobotOptions& robot, const std::string& sensors, const std::string& constraints,
                            const std::string& rows, const std::string& output, const CommonOptions& common);

}  // namespace sparsedyn::cli
