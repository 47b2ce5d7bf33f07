// sparsedyn solve: the sparse system, its order replayed on each row of a log.
#include <algorithm>
#include <memory>

#include "cli/rows/compiled_rows.hpp"
#include "cli/rows/solve_rows.hpp"
#include "cli/rows/whole_motion.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "command.hpp"
#include "io/output_file.hpp"
#include "program.hpp"
#include "sparsedyn/json/sensor_set.hpp"

namespace sparsedyn::cli {
namespace {

struct SolveOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, plan, log, output, outputs, report;
  bool deviations = false, innovations = false, compiled = false;
};

void check_usage(const SolveOptions& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  const std::vector<std::string> inputs{options.robot.urdf, options.sensors, options.plan, options.log};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) throw UsageError("more than one input is -");
  refuse_output_over_input(options.output, inputs);
  if (options.report.empty()) return;
  refuse_output_over_input(options.report, inputs);
  if (options.report == "-" || options.report == options.output) throw UsageError("--report: expected a file of its own");
}

Wanted wanted_of(const SolveOptions& options) {
  Wanted wanted;
  wanted.plan = options.plan;
  if (!options.outputs.empty()) wanted.outputs = listed("--outputs", options.outputs);
  wanted.deviations = options.deviations;
  wanted.innovations = options.innovations;
  return wanted;
}

Json summary_json(const SolveSummary& summary, const RowSolver& row) {
  Json json{{"rows", summary.rows},
            {"rows_failed", summary.rows_failed},
            {"time_faults", summary.time_faults},
            {"rows_partly_determined", summary.rows_partly_determined},
            {"rows_per_second", summary.rows_per_second()},
            {"worst_backward_error", summary.worst_backward_error},
            {"worst_componentwise_error", summary.worst_componentwise_error},
            {"worst_growth", summary.worst_growth},
            {"strategy", row.strategy()},
            {"compared", summary.compared}};
  row.add_details(json);
  return json;
}

std::string summary_text(const SolveSummary& summary, const RowSolver& row) {
  char line[200];
  std::snprintf(line, sizeof line,
                "%ld rows, %ld failed, %.0f rows/s, worst backward error %.1e (componentwise %.1e), worst growth %.3g\n",
                summary.rows, summary.rows_failed, summary.rows_per_second(), summary.worst_backward_error,
                summary.worst_componentwise_error, summary.worst_growth);
  return "order: " + row.strategy() + "\n" + line + row.details_text() + summary.compared_text;
}

ExitCode solve(const SolveOptions& options) {
  check_usage(options);
  const Model model = load_robot(options.robot, options.common);
  const Wanted wanted = wanted_of(options);
  const auto system = std::make_shared<const System>(model, load_sensor_set(options.sensors));
  std::unique_ptr<RowSolver> row = make_row_solver(system, wanted, options.common);
  CsvReader log(options.log);
  SystemInputs inputs(*system, log, options.common, row->takes_gaps());
  row = without_whole_motion(std::move(row), inputs, wanted, log, options.common);
  CsvWriter out(options.output);
  if (options.compiled) row = compiled_rows(std::move(row), inputs.found(), options.common);
  const SolveSummary summary = solve_rows(*row, inputs, log, out, options.common, !options.report.empty());
  if (summary.report)
    write_file(options.report,
               summary.report->html(row->system().model().name + ", " + options.log, summary_text(summary, *row)));
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
  command.add_option("--report", options->report, "HTML page: each output over time, with --sd its ± 2σ, beside the log's own");
  command.add_flag("--innovations", options->innovations,
                   "Columns chi2 and innovation.COLUMN: each measurement against the estimate, in standard deviations");
  command.add_flag("--compiled", options->compiled,
                   "As machine code of the system's C compiler ($CC and $CFLAGS, or else cc -O2), kept in the user's cache");
  add_options(command, options->common);
  command.footer(
      "Example:\n  sparsedyn solve robots/arm.urdf --sensors inverse-dynamics --log robots/arm.csv -o tau.csv --outputs tau");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return solve(*options); }); }; });
}

}  // namespace sparsedyn::cli
