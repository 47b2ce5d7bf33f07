// What a SensorSolver reports, as the program's --json and the Python package say it.
#pragma once

#include "json_text.hpp"
#include "sparsedyn/answers/solve_report.hpp"

namespace sparsedyn {

/// "newton-euler, recursive", "estimator, KLU"; "none" where no order serves.
std::string strategy_in_words(const SolveReport& report);

/// Adds remedies, and of an estimate what it found over all samples. scaled: deviations are told for the noise that the log
/// shows (deviation_scale), with "sd_scale".
void add_details(const SolveReport& report, bool scaled, json::Json& summary);

/// {"offsets", "columns", "covariance"}, without undetermined ones, as "offsets" in a sensor set reads it; deviations are
/// multiplied by `scale`.
json::Json offsets_file(const SolveReport& report, double scale);

}  // namespace sparsedyn
