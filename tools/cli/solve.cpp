// sparsedyn solve: the sparse system, its order replayed on each row of a log.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/gyroscopes.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/program.hpp"
#include "cli/row_solver.hpp"
#include "cli/system_inputs.hpp"
#include "sparsedyn/io/csv_writer.hpp"
#include "sparsedyn/json/sensor_set.hpp"

namespace sparsedyn::cli {
namespace {

struct SolveOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, plan, log, output, outputs;
  bool deviations = false, innovations = false;
};

struct SolveSummary {
  long rows = 0, rows_failed = 0;
  double seconds = 0;
  double worst_backward_error = 0, worst_growth = 0;
  Json compared;
  std::string compared_text;
  double rows_per_second() const { return seconds > 0 ? static_cast<double>(rows) / seconds : 0.0; }
};

void check_usage(const SolveOptions& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  const std::vector<std::string> inputs{options.robot.urdf, options.sensors, options.plan, options.log};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) throw UsageError("more than one input is -");
  refuse_output_over_input(options.output, inputs);
}

std::unique_ptr<RowSolver> make_row_solver(const SolveOptions& options) {
  const Model model = load_robot(options.robot, options.common);
  Wanted wanted;
  wanted.plan = options.plan;
  if (!options.outputs.empty()) wanted.outputs = listed("--outputs", options.outputs);
  wanted.deviations = options.deviations;
  wanted.innovations = options.innovations;
  return make_row_solver(std::make_shared<const System>(model, load_sensor_set(options.sensors)), wanted, options.common);
}

SolveSummary solve_rows(RowSolver& row, CsvReader& log, CsvWriter& out, const CommonOptions& common) {
  SystemInputs inputs(row.system(), log, common, row.takes_gaps());
  std::vector<std::string> known;
  for (const Input& input : row.system().inputs()) known.insert(known.end(), input.columns.begin(), input.columns.end());
  Gyroscopes gyroscopes(row.system());
  known.insert(known.end(), gyroscopes.columns().begin(), gyroscopes.columns().end());
  warn_of_unknown_columns(log, row.system().model(), known, common);
  const bool timed = log.keep("time");
  std::vector<std::string> header = row.columns();
  Comparison comparison(log, header, [&](const std::string& column) { return inputs.uses(column); });
  Comparison gyroscope_comparison(log, gyroscopes.columns(), [](const std::string&) { return false; });
  std::vector<double> results(header.size());
  if (timed) header.insert(header.begin(), "time");
  out.header(header);

  SolveSummary summary;
  FailedRows failed(log.path());
  Progress progress(common);
  const auto start = std::chrono::steady_clock::now();
  for (; log.next(); ++summary.rows, progress.row()) {
    const bool readable = inputs.read();
    const bool done = readable && row.solve(inputs.q(), inputs.v(), inputs.y(), results.data());
    if (timed) out.raw(log.kept());
    for (double result : results) done && !std::isnan(result) ? out.number(result) : out.empty();
    out.end_row();
    if (done) {
      comparison.add(results.data());
      if (!gyroscope_comparison.empty()) gyroscope_comparison.add(gyroscopes.predict(inputs.q(), inputs.v()));
      summary.worst_backward_error = std::max(summary.worst_backward_error, row.backward_error());
      summary.worst_growth = std::max(summary.worst_growth, row.growth());
    }
    const std::string why = readable ? row.why() : inputs.why();
    if (!why.empty()) failed.add(log.line(), why);
  }
  out.commit();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.clear();
  failed.tell_rest();
  summary.rows_failed = failed.count();
  summary.compared = comparison.json();
  summary.compared.update(gyroscope_comparison.json());
  summary.compared_text = comparison.text("difference from the log's measurements") +
                          gyroscope_comparison.text("gyroscopes, difference from what q and dq make them read");
  return summary;
}

Json summary_json(const SolveSummary& summary, const RowSolver& row) {
  Json json{{"rows", summary.rows},
            {"rows_failed", summary.rows_failed},
            {"rows_per_second", summary.rows_per_second()},
            {"worst_backward_error", summary.worst_backward_error},
            {"worst_growth", summary.worst_growth},
            {"strategy", row.strategy()},
            {"compared", summary.compared}};
  row.add_details(json);
  return json;
}

std::string summary_text(const SolveSummary& summary, const RowSolver& row) {
  char line[200];
  std::snprintf(line, sizeof line, "%ld rows, %ld failed, %.0f rows/s, worst backward error %.1e, worst growth %.3g\n",
                summary.rows, summary.rows_failed, summary.rows_per_second(), summary.worst_backward_error,
                summary.worst_growth);
  return "order: " + row.strategy() + "\n" + line + row.details_text() + summary.compared_text;
}

ExitCode solve(const SolveOptions& options) {
  check_usage(options);
  const std::unique_ptr<RowSolver> row = make_row_solver(options);
  CsvReader log(options.log);
  CsvWriter out(options.output);
  const SolveSummary summary = solve_rows(*row, log, out, options.common);
  tell(options.common.json ? json_text(summary_json(summary, *row)) : summary_text(summary, *row), options.output == "-");
  return summary.rows_failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_solve(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("solve", "Every wanted quantity on each row of a log, from what the sensors say");
  const auto options = std::make_shared<SolveOptions>();
  add_options(command, options->robot);
  add_sensors_option(command, options->sensors);
  command.add_option("--plan", options->plan, "JSON of `optimise`; without one: a shipped, the recursive, or a searched order");
  command.add_option("--log", options->log, "CSV log, or - for the standard input").required();
  command.add_option("-o,--output", options->output, "CSV file, or - for the standard output").required();
  command.add_option("--outputs", options->outputs,
                     "Kinds (tau), kinds and names (f.JOINT), or columns, by commas; default: the tau and ddq not given");
  command.add_flag("--sd", options->deviations, "A column sd.OUTPUT beside each: its posterior standard deviation");
  command.add_flag("--innovations", options->innovations,
                   "Columns chi2 and innovation.COLUMN: each measurement against the estimate, in standard deviations");
  add_options(command, options->common);
  command.footer(
      "Example:\n  sparsedyn solve robots/arm.urdf --sensors inverse-dynamics --log robots/arm.csv -o tau.csv --outputs tau");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return solve(*options); }); }; });
}

}  // namespace sparsedyn::cli
