// sparsedyn solve: the sparse system, its order replayed on each row of a log.
#include <cmath>
#include <memory>
#include <utility>

#include "answers/whole_motion.hpp"
#include "cli/logs/quick_findings.hpp"
#include "cli/programs/compiled_rows.hpp"
#include "cli/rows/solve_rows.hpp"
#include "cli/support/command.hpp"
#include "cli/support/components.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "json/solve_report.hpp"
#include "program.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

struct SolveOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, constraints, plan, log, output, outputs, report, beside, offsets, corrected, robust = "none";
  double threshold = 3, rate = 0;
  bool deviations = false, scaled = false, innovations = false, compiled = false;
};

void check_usage(const SolveOptions& options) {
  if (options.compiled) require_codegen("--compiled");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  for (const auto& [option, path] :
       {std::pair("--report", options.report), {"--offsets", options.offsets}, {"--corrected", options.corrected}})
    if (path == "-") throw UsageError(std::string(option) + " -: expected a file of its own");
  if (!options.beside.empty() && options.report.empty()) throw UsageError("--beside: expected --report beside it");
  if (options.beside == "-") throw UsageError("--beside -: expected a file");
  if (options.robust != "huber" && options.robust != "none")
    throw UsageError("--robust " + options.robust + suggestions_text(options.robust, {"huber", "none"}) +
                     ": expected huber or none");
  if (!(options.rate >= 0) || !std::isfinite(options.rate)) throw UsageError("--rate: expected a number > 0");
  if (!(options.threshold > 0) || !std::isfinite(options.threshold))
    throw UsageError("--robust-threshold: expected a number > 0");
}

SensorSolverOptions wanted_of(const SolveOptions& options, const PlanFile& plan) {
  SensorSolverOptions wanted;
  wanted.plans = plan_source(plan);
  if (!options.outputs.empty()) wanted.outputs = listed("--outputs", options.outputs);
  wanted.deviations = options.deviations;
  wanted.innovations = options.innovations;
  wanted.estimate = !options.corrected.empty();
  if (options.robust == "huber") wanted.huber = options.threshold;
  return wanted;
}

/// The page draws deviations and innovations of an estimate whether or not they are written, unless the code that runs has
/// none.
SensorSolverOptions with_page(SensorSolverOptions wanted, const SolveOptions& options, const System& system) {
  if (options.report.empty() || options.compiled || !(needs_estimate(system) || wanted.deviations || wanted.innovations))
    return wanted;
  wanted.deviations = wanted.innovations = true;
  return wanted;
}

Json summary_json(const SolveSummary& summary, const LogAnswers& rows) {
  // where no row was answered there is no error to tell
  const auto of_answers = [&](double worst) { return summary.rows_answered || !summary.rows ? Json(worst) : Json(); };
  Json json{{"rows", summary.rows},
            {"rows_failed", summary.rows_failed},
            {"time_faults", summary.time_faults},
            {"rows_partly_determined", summary.rows_partly_determined},
            {"rows_per_second", summary.rows_per_second()},
            {"solving_seconds", summary.solving_seconds},
            {"worst_backward_error", of_answers(summary.worst_backward_error)},
            {"worst_componentwise_error", of_answers(summary.worst_componentwise_error)},
            {"worst_growth", of_answers(summary.worst_growth)},
            {"strategy", strategy_in_words(rows.report())},
            {"compared", summary.compared}};
  json["stand_ins"] = Json::object();
  for (const StandIn& each : summary.stand_ins) json["stand_ins"][each.reading] = each.column;
  json["trusted"] = nullptr;
  json["outliers"] = {{"rows", 0}, {"worst", Json::array()}, {"sensors", Json::array()}};
  rows.add_details(json);
  return json;
}

std::string summary_text(const SolveSummary& summary, const LogAnswers& rows) {
  char counts[100], errors[120] = ", none answered\n";
  std::snprintf(counts, sizeof counts, "%s, %ld failed, %.0f rows/s", how_many(summary.rows, "row", "rows").c_str(),
                summary.rows_failed, summary.rows_per_second());
  if (summary.rows_answered > 0 || summary.rows == 0)
    std::snprintf(errors, sizeof errors, ", worst backward error %.1e (componentwise %.1e), worst growth %.3g\n",
                  summary.worst_backward_error, summary.worst_componentwise_error, summary.worst_growth);
  return "order: " + strategy_in_words(rows.report()) + "\n" + counts + errors + rows.details_text() +
         (summary.stand_ins.empty() ? "" : "note: " + stand_ins_text(summary.stand_ins) + ", which the log lacks\n") +
         summary.compared_text;
}

/// For what does not depend on where the robot is and how fast it moves as a whole, where the log does not say.
SensorSolver without_whole_motion(SensorSolver solver, const SystemInputs& inputs, const CsvReader& log, bool drawn,
                                  const CommonOptions& common) {
  WholeMotionWords words;
  SensorSolver kept =
      without_whole_motion(std::move(solver), inputs.whole_motion_missing(), {log.path(), log.header_line(), drawn}, words);
  if (!words.note.empty()) note(common, words.note);
  for (const std::string& warning : words.warnings) warn(common, warning);
  return kept;
}

/// Corrected readings follow from the estimate itself, of which a program keeps nothing.
bool by_program(const SolveOptions& options) {
  if (options.compiled && !options.corrected.empty())
    warn(options.common, "--compiled: a program gives no corrected readings; solved without");
  return options.compiled && options.corrected.empty();
}

ExitCode solve(SolveOptions options) {
  check_usage(options);
  options.deviations = options.deviations || options.scaled;
  const PlanFile plan = plan_file(options.plan);
  const Model model = load_robot(with_snap(options.robot, plan), options.common);
  const SensorSolverOptions written = wanted_of(options, plan);
  const auto system =
      std::make_shared<const System>(model, constrained_set(options.sensors, options.constraints, model, options.common));
  const SensorSolverOptions wanted = with_page(written, options, *system);
  const bool drawn = wanted.innovations && !written.innovations;
  SensorSolver solver = sensor_solver(system, wanted, options.common);
  warn_of_quick_findings(&model, options.log, options.common);
  LogFile file(options.log);
  if (options.rate > 0) file.resample(options.rate, options.common);
  if (solver.learning() || (options.scaled && solver.report().redundant)) file.keep(options.common);
  CsvReader log(file.path(), file.name());
  SystemInputs inputs(*system, log, options.common, solver.takes_gaps());
  solver = without_whole_motion(std::move(solver), inputs, log, drawn, options.common);
  solver.name_columns(inputs.read_from());
  const double learning = learn_rows(solver, file, options.common);
  const double scale = options.scaled ? deviation_scale_of(solver, file, options.common) : 1;
  const Json offsets = offsets_file(solver.report(), scale);
  CsvWriter out(options.output);
  const auto rows = by_program(options) ? compiled_rows(std::move(solver), inputs.found(), options.common)
                                        : std::make_unique<LogAnswers>(std::move(solver), drawn);
  rows->tell_scaled(options.scaled);
  SolveSummary summary =
      solve_rows(*rows, inputs, log, out, options.common,
                 {!options.report.empty(), options.deviations, options.innovations, options.corrected, options.beside, scale});
  summary.seconds += learning;
  if (!options.offsets.empty()) write_file(options.offsets, json_text(offsets) + "\n");
  if (summary.report)
    write_file(options.report, summary.report->html(model.name + ", " + options.log, summary_text(summary, *rows),
                                                    summary_json(summary, *rows)));
  tell(options.common.json ? json_text(summary_json(summary, *rows)) : summary_text(summary, *rows), options.output == "-");
  return summary.rows_failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_solve(Command program, Chosen& chosen) {
  Command command =
      program.add_subcommand("solve", "Accelerations, forces and torques on each row of a log, from the readings of sensors");
  const auto options = std::make_shared<SolveOptions>();
  add_sensors_option(command, options->sensors);
  add_joining_constraints(command, options->constraints);
  command.add_file("--plan", options->plan, FileRole::input,
                   "Plan (JSON) of `optimise`; default: an included plan, the recursive order, or a search");
  command.add_file("--log", options->log, FileRole::input, "CSV log, or - for the standard input").required();
  command.add_file("-o,--output", options->output, FileRole::output, "CSV file, or - for the standard output").required();
  command.add_option("--outputs", options->outputs,
                     "Kinds (tau), kinds and names (f.JOINT), or columns, by commas; default: the tau and ddq not given");
  command.add_flag(
      "--compiled", options->compiled,
      "Generate and compile code with the system's C compiler ($CC and $CFLAGS, or else cc -O2); kept in the user's cache");
  Command redundant = command.under("Redundant sensors");
  redundant.add_flag("--sd", options->deviations,
                     "Add a column sd.OUTPUT for each output: its posterior standard deviation; and cov.A|B for each pair of "
                     "\"cov\" in the set");
  redundant.add_flag(
      "--sd-scaled", options->scaled,
      "--sd, with all deviations multiplied by max(1, √(chi-square / expected)) of the log, which is read twice");
  redundant.add_flag("--innovations", options->innovations,
                     "Add columns chi2 and innovation.COLUMN: each measurement minus its prediction, in standard deviations");
  redundant
      .add_option("--robust", options->robust,
                  "huber: residuals beyond the threshold count in proportion instead of squared; or none")
      .capture_default_str();
  redundant.add_option("--robust-threshold", options->threshold, "Threshold of --robust, in standard deviations of the reading")
      .capture_default_str();
  redundant.add_file("--offsets", options->offsets, FileRole::output,
                     "JSON file for the offsets of sensors with \"bias\": true, as \"offsets\" in a set reads it");
  redundant.add_file("--corrected", options->corrected, FileRole::output,
                     "CSV file for the log with offsets subtracted, gaps and outliers estimated, and a column outlier");
  Command page = command.under("Page");
  page.add_file("--report", options->report, FileRole::output,
                "HTML page: each output over time, with --sd its ± 2σ, compared with the log's values");
  page.add_file("--beside", options->beside, FileRole::input,
                "With --report: another log or estimate (CSV), compared column by column, the worst first");
  add_options(command, options->robot);
  Command logs = command.under("Logs");
  logs.add_option("--rate", options->rate, "Hz: resample the log to an even clock first, by linear interpolation");
  logs.add_flag(
      "--no-stand-in", options->common.no_stand_in,
      "Refuse a log whose tau.*, ddq.* or fx.* would stand in for readings y.* that it lacks; default: the summary names them");
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer(
      "Example:\n  sparsedyn solve robots/arm.urdf --sensors inverse-dynamics --log robots/arm.csv -o tau.csv --outputs tau");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return solve(*options); }); }; });
}

}  // namespace sparsedyn::cli
