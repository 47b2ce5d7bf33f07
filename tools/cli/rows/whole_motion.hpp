// Where a robot is and how fast it moves as a whole: no sensor on it tells, and most quantities do not depend on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/logs/system_inputs.hpp"
#include "row_solver.hpp"

namespace sparsedyn::cli {

/// Where the log lacks the base's position or linear velocity: says that they are taken as zero, and returns a row solver for
/// what does not depend on them, which is `row` or a new one. Throws InputError where the user asked for what does.
std::unique_ptr<RowSolver> without_whole_motion(std::unique_ptr<RowSolver> row, const SystemInputs& inputs, Wanted wanted,
                                                const CsvReader& log, const CommonOptions& common);

}  // namespace sparsedyn::cli
