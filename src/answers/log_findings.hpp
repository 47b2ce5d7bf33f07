// What a LogEstimator has found over a log, for a report.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/answers/solve_report.hpp"
#include "sparsedyn/logs/log_estimator.hpp"

namespace sparsedyn {

/// Fills in what follows from the log's samples: chi-square, noise, offsets, outliers and faults. of_rows: the chi-square of
/// the samples, as if no offset were known. names: what the log calls the reading of each row.
void report_log(const System& system, const LogEstimator& log, const ChiSquare& of_rows, const std::vector<std::string>& names,
                SolveReport& into);

}  // namespace sparsedyn
