// sparsedyn track: the state of a robot over time, from a log of readings.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "cli/logs/log_file.hpp"
#include "cli/logs/track_log.hpp"
#include "cli/rows/track_rows.hpp"
#include "cli/support/command.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/tracked_system.hpp"
#include "io/suggestions.hpp"
#include "program.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

struct TrackOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, log, output, outputs, rows, plan, report, constraints, robust = "slip";
  double lag = 0, iterations = 0;
  bool deviations = false, batch = false, uniform = false;
};

bool is_count(double x, double least) { return x >= least && x <= 1e6 && x == std::floor(x); }

void check_usage(const TrackOptions& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  chosen_track_rows(options.rows);
  if (options.report == "-") throw UsageError("--report -: expected a file");
  if (options.robust != "slip" && options.robust != "none")
    throw UsageError("--robust " + options.robust + suggestions_text(options.robust, {"slip", "none"}) +
                     ": expected slip or none");
  if (!is_count(options.lag, 0)) throw UsageError("--lag: expected a number of rows, 0 to 1e6");
  if (options.lag > 0 && options.batch) throw UsageError("--lag with --batch: one of them");
  if (options.iterations != 0 && !is_count(options.iterations, 1)) throw UsageError("--iterations: expected 1 or more");
  if (options.iterations > 1 && !options.batch) throw UsageError("--iterations: expected --batch beside it");
}

TrackerOptions wanted_of(const TrackOptions& options) {
  TrackerOptions wanted;
  if (!options.outputs.empty()) wanted.outputs = listed("--outputs", options.outputs);
  wanted.deviations = options.deviations;
  wanted.slip = options.robust == "slip";
  wanted.rows = chosen_track_rows(options.rows);
  wanted.lag = static_cast<int>(options.lag);
  wanted.plan = step_plan(options.plan);
  return wanted;
}

/// The tracker with what is needed beside the columns that are written: for a page all of the state, with deviations; else
/// where the base is, since its errors are told whether it is written or not.
Tracker with_more_columns(const std::shared_ptr<const System>& system, TrackerOptions wanted, Tracker plain, bool page) {
  wanted.outputs.clear();
  for (const std::string& column : plain.columns())
    if (column.rfind("sd.", 0) != 0) wanted.outputs.push_back(column);
  const std::size_t written = wanted.outputs.size();
  for (const std::string& column : plain.state_columns())
    if ((page || (system->model().floating() && column.rfind("q.base.", 0) == 0)) &&
        std::find(wanted.outputs.begin(), wanted.outputs.end(), column) == wanted.outputs.end())
      wanted.outputs.push_back(column);
  if (!page && wanted.outputs.size() == written) return plain;
  wanted.deviations = wanted.deviations || page;
  return tracker_of(system, wanted);
}

/// Of columns that are written.
void warn_of_priors(const std::vector<std::string>& at_prior, const std::vector<std::string>& columns,
                    const TrackOptions& options) {
  std::vector<std::string> untold;
  for (const std::string& column : columns)
    if (std::find(at_prior.begin(), at_prior.end(), column) != at_prior.end()) untold.push_back(column);
  if (!untold.empty())
    warn(options.common, options.sensors + ": no reading tells " + listing(untold, untold.size()) +
                             ": their deviations are as wide as before the log, and their values mean nothing");
}

ExitCode track(const TrackOptions& options) {
  check_usage(options);
  const Model model = load_robot(options.robot, options.common);
  const std::shared_ptr<const System> system = tracked_system(model, options.sensors, options.constraints, options.common);
  const TrackerOptions wanted = wanted_of(options);
  Tracker tracker = tracker_of(system, wanted);
  tell_notes(tracker, options.sensors, options.constraints, options.common);
  const TrackFiles files{tracker.columns(), !options.report.empty()};
  tracker = with_more_columns(system, wanted, std::move(tracker), files.report);
  LogFile file(options.log);
  std::optional<EvenClock> clock;
  if (options.uniform) {
    file.keep(options.common);
    clock.emplace(times_of(file));
  }
  CsvReader log(file.path(), file.name());
  CsvWriter out(options.output);
  TrackedLogOptions mode;
  mode.lag = static_cast<int>(options.lag), mode.batch = options.batch, mode.clock = clock ? &*clock : nullptr;
  if (options.iterations > 0) mode.iterations = static_cast<int>(options.iterations);
  TrackSummary summary = track_rows(tracker, model, log, out, mode, files, options.common);
  Json json{
      {"rows", summary.rows},
      {"rows_failed", summary.rows_failed},
      {"rows_per_second", summary.seconds > 0 ? static_cast<double>(summary.rows) / summary.seconds : 0.0},
      {"rows_taken", rows_taken(tracker)},
      {"states", tracker.states()},
      {"flops", step_flops_json(step_flops(system, tracker.rows(), wanted.plan ? wanted.plan->order : std::vector<int>{}))},
      {"unobservable", tracker.unobservable()}};
  warn_of_priors(summary.at_prior, files.columns, options);
  json["at_prior"] = summary.at_prior;
  json["biases"] = Json::object();
  if (!options.batch)
    for (const auto& [name, value] : tracker.biases()) json["biases"][name] = value;
  json.update(summary.json);
  if (summary.report)
    write_file(options.report, summary.report->html(model.name + " over time, " + options.log, summary.text, json));
  tell(options.common.json ? json_text(json) : summary.text, options.output == "-");
  return summary.rows_failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_track(Command program, Chosen& chosen) {
  Command command = program.add_subcommand(
      "track",
      "Where a base is and how it moves, joint velocities, offsets, footholds, and from torques every force, over time");
  const auto options = std::make_shared<TrackOptions>();
  add_sensors_option(command, options->sensors);
  add_joining_constraints(command, options->constraints);
  command.add_file("--log", options->log, FileRole::input, "CSV log with a column time, or - for the standard input")
      .required();
  command.add_file("-o,--output", options->output, FileRole::output, "CSV file, or - for the standard output").required();
  command.add_option(
      "--outputs", options->outputs,
      "Kinds (q, dq, bias, foot, contact, nis; of the whole body ddq, tau, fx, f, acc), kinds and names (q.base), or "
      "columns, by commas; default: q,dq");
  command.add_flag("--sd", options->deviations,
                   "Add a column sd.OUTPUT for each output; of an orientation sd.q.base.rx, .ry, .rz");
  command.add_file("--plan", options->plan, FileRole::input, "The order of rows that `optimise --over-time` wrote (JSON)");
  Command estimation = command.under("Estimation");
  add_rows_option(estimation, options->rows);
  estimation.add_option("--lag", options->lag, "Rows: each is estimated from the readings up to so many rows later")
      .capture_default_str();
  estimation.add_flag("--batch", options->batch, "Estimate each row from all readings of the log");
  estimation.add_option("--iterations", options->iterations, "With --batch: how often the log is gone through; default: 3");
  estimation.add_option("--robust", options->robust, "slip: a standing foot that slips is released by as much; or none")
      .capture_default_str();
  Command page = command.under("Page");
  page.add_file("--report", options->report, FileRole::output,
                "Page of the base's way and errors, feet that stand, creep and slip, nis, offsets and all outputs with ± 2σ");
  add_options(command, options->robot);
  Command logs = command.under("Logs");
  logs.add_flag("--uniform-time", options->uniform, "Take an even clock for stamps that jitter; the log is read twice");
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn track robot.urdf --floating --sensors set.json --log walk.csv -o base.csv --sd");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return track(*options); }); }; });
}

}  // namespace sparsedyn::cli
