// Every row of a log through a SensorSolver, and the answers written.
#pragma once

#include <memory>

#include "cli/logs/log_file.hpp"
#include "cli/logs/system_inputs.hpp"
#include "cli/reports/estimate_report.hpp"
#include "cli/support/json_text.hpp"
#include "io/csv_writer.hpp"
#include "log_answers.hpp"

namespace sparsedyn::cli {

struct SolveSummary {
  long rows = 0, rows_failed = 0, time_faults = 0;
  long rows_answered = 0;           // of which the worst of the errors below are
  long rows_partly_determined = 0;  // at a state that leaves outputs open which others determine
  double seconds = 0;
  double solving_seconds = 0;  // of these in the solver: without reading, writing and comparing
  double worst_backward_error = 0, worst_componentwise_error = 0, worst_growth = 0;
  Json compared;
  std::vector<StandIn> stand_ins;  // columns of the log in the place of readings that it lacks
  std::string compared_text;
  std::shared_ptr<EstimateReport> report;  // where one is asked for
  double rows_per_second() const { return seconds > 0 ? static_cast<double>(rows) / seconds : 0.0; }
};

/// What is written beside the rows.
struct RowFiles {
  bool report = false;                         // SolveSummary::report is filled
  bool deviations = true, innovations = true;  // whether such columns are written, where the solver has them
  std::string corrected;                       // path of the corrected log, or empty
  std::string beside = {};                     // path of a file that the report compares with, or empty
  double deviation_scale = 1;                  // columns sd.OUTPUT are multiplied by it
};

/// `inputs`: of the same log and the solver's system. Failed rows are named on stderr. Throws InputError.
SolveSummary solve_rows(LogAnswers& rows, SystemInputs& inputs, CsvReader& log, CsvWriter& out, const CommonOptions& common,
                        const RowFiles& files = {});

/// Reads the log as many times as the solver needs to learn the sensors' offsets: not at all without offsets. Returns the
/// elapsed time in seconds. Throws InputError.
double learn_rows(SensorSolver& solver, const LogFile& file, const CommonOptions& common);

/// The factor by which standard deviations are multiplied to match the noise that the log shows. Reads the log once more,
/// unless no measurement is redundant; then the factor is 1. Throws InputError.
double deviation_scale_of(const SensorSolver& solver, const LogFile& file, const CommonOptions& common);

}  // namespace sparsedyn::cli
