// Rows answered by machine code, many at once.
#pragma once

#include <memory>
#include <vector>

#include "cli/rows/log_answers.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// `careful` alone, with a warning, where there is no compiler or no program; else rows answered by the compiled program of
/// `careful`, which still answers those whose pivots are weak, whose results are not finite and whose measurements have gaps,
/// and the first of each batch, where both must agree. found: inputs that the log has.
std::unique_ptr<LogAnswers> compiled_rows(SensorSolver careful, const std::vector<bool>& found, const CommonOptions& common);

}  // namespace sparsedyn::cli
