// generate --over-time: a step of `track` as C.
#pragma once

#include <string>

#include "cli/support/exit_code.hpp"
#include "cli/support/options.hpp"

namespace sparsedyn::cli {

/// Writes FOLDER/NAME.c, .h and .json. Throws UsageError, InputError, AnswerIsNo.
ExitCode generate_over_time(const RobotOptions& robot, const std::string& sensors, const std::string& name,
                            const std::string& folder, const CommonOptions& common);

}  // namespace sparsedyn::cli
