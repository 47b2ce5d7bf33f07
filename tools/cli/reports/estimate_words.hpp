// What an estimate of a whole log says beside its rows, for the user's eyes: offsets, outliers and sensors out of order.
#pragma once

#include <string>

#include "sparsedyn/answers/solve_report.hpp"

namespace sparsedyn::cli {

/// Several lines; nothing where the rows are solved, not estimated. scaled: deviations are told for the noise that the log
/// shows (deviation_scale).
std::string estimate_text(const SolveReport& report, bool scaled);

}  // namespace sparsedyn::cli
