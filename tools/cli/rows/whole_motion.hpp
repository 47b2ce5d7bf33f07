// Where a robot is and how fast it moves as a whole: no sensor on it tells, and most quantities do not depend on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "row_solver.hpp"

namespace sparsedyn::cli {

/// Where a log lacks some of these columns (`missing`): says that they are taken as zero, and returns a row solver for what
/// does not depend on them, which is `row` or a new one. `log`, `header_line`: for messages; 0: it has no lines. Throws
/// InputError where the user asked for what does.
std::unique_ptr<RowSolver> without_whole_motion(std::unique_ptr<RowSolver> row, const std::vector<std::string>& missing,
                                                Wanted wanted, const std::string& log, long header_line,
                                                const CommonOptions& common);

}  // namespace sparsedyn::cli
