// sparsedyn live: the estimator on a running robot.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/rows/live_run.hpp"
#include "cli/support/command.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "io/files/run_files.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "program.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

struct LiveCommand {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, outputs, plan, replay, format = "csv";
  LiveRun run;
  std::optional<double> priority;
  bool over_time = false, deviations = false, lock_memory = false;
};

void check_usage(const LiveCommand& command) {
  const LiveRun& run = command.run;
  if (command.common.json && run.output == "-")
    throw UsageError("--output - with --json: both would go to the standard output");
  if (command.format != "csv" && command.format != "f64")
    throw UsageError("--format " + command.format + suggestions_text(command.format, {"csv", "f64"}) + ": expected csv or f64");
  if (const auto given = command.priority; given && !(*given >= 1 && *given <= 99 && *given == std::floor(*given)))
    throw UsageError("--priority: expected 1 to 99, a whole number");
  const auto reads_standard = [&] {
    return run.inputs.empty() || std::find(run.inputs.begin(), run.inputs.end(), "-") != run.inputs.end();
  };
  if (run.control == "-" && reads_standard())
    throw UsageError("--control - with --input -: both would read the standard input");
  if (run.diagnostics == "-" && run.output == "-")
    throw UsageError("--diagnostics - with --output -: both would go to the standard output");
  if (command.over_time && !command.plan.empty()) throw UsageError("--plan with --over-time: an estimate over time has none");
  if (command.replay.empty()) return;
  if (!run.inputs.empty()) throw UsageError("--replay with --input: a record has its own");
  if (!run.record.empty()) throw UsageError("--replay with --record: that record is there");
  if (!run.control.empty()) throw UsageError("--replay with --control: changes are in the record");
}

std::unique_ptr<LiveEstimate> tracked(const std::shared_ptr<const System>& system, const LiveCommand& command) {
  TrackerOptions wanted;
  wanted.outputs = listed_if_given("--outputs", command.outputs);
  wanted.deviations = command.deviations;
  try {
    Tracker tracker(system, wanted);
    for (const std::string& text : tracker.notes()) warn(command.common, command.sensors + ": " + text);
    return live_tracker(std::move(tracker), *system);
  } catch (const UnknownTrackOutput& unknown) {
    throw UsageError(std::string("--outputs: ") + unknown.what());
  } catch (const Untrackable& open) {
    throw AnswerIsNo(open.what(), json_text({{"untrackable", open.what()}}));
  }
}

std::unique_ptr<LiveEstimate> solved(const std::shared_ptr<const System>& system, const LiveCommand& command,
                                     const PlanFile& plan) {
  SensorSolverOptions wanted;
  wanted.plans = plan_source(plan);
  wanted.outputs = listed_if_given("--outputs", command.outputs);
  wanted.deviations = command.deviations;
  wanted.innovations = command.deviations || needs_estimate(*system);  // by which readings are judged
  SensorSolver solver = sensor_solver(system, wanted, command.common);
  try {
    return live_solver(std::move(solver), false);
  } catch (const std::invalid_argument& wrong) {
    throw InputError(command.sensors, 0, "", wrong.what(), "a set that a single sample answers");
  }
}

ExitCode live(LiveCommand command) {
  check_usage(command);
  const PlanFile plan = plan_file(command.plan);
  const Model model = load_robot(with_snap(command.robot, plan), command.common);
  const auto system = std::make_shared<const System>(model, load_sensor_set(command.sensors));
  std::unique_ptr<LiveEstimate> estimate = command.over_time ? tracked(system, command) : solved(system, command, plan);
  LiveRun& run = command.run;
  run.format = command.format == "csv" ? LiveFormat::csv : LiveFormat::f64;
  run.loop.priority = static_cast<int>(command.priority.value_or(0)), run.loop.lock_memory = command.lock_memory;
  if (run.inputs.empty() && command.replay.empty()) {
    run.inputs = {"-"};
    RunFiles::reading("-");
  }
  const LiveSummary summary = command.replay.empty() ? run_live(std::move(estimate), run, command.common)
                                                     : replay_live(std::move(estimate), command.replay, run, command.common);
  tell(command.common.json ? json_text(summary.json) : summary.text, run.output == "-");
  if (!summary.bad_input.empty()) throw InputError(summary.bad_input, summary.line, "", summary.found, summary.expected);
  return summary.samples > 0 && summary.answered == 0 ? ExitCode::numerical : ExitCode::done;
}

void add_clock_options(Command command, LiveRun& run) {
  command.add_option("--rate", run.rate,
                     "Hz: samples at its multiples, by interpolation; default: at the first input's stamps");
  command.add_option("--wait", run.wait, "s that a sample waits for late readings, at most 0.25; default: 0.01");
  command.add_option("--max-gap", run.max_gap, "s between readings that are interpolated, at most; default: 0.1");
  command.add_option("--missing-after", run.missing_after, "s without a reading before it is named; default: 0.012");
}

}  // namespace

void add_live(Command program, Chosen& chosen) {
  Command command = program.add_subcommand(
      "live", "The answers of solve or track on a running robot, from readings as they arrive on a pipe, UDP or Unix socket");
  const auto options = std::make_shared<LiveCommand>();
  LiveRun& run = options->run;
  add_sensors_option(command, options->sensors);
  command.add_flag("--over-time", options->over_time,
                   "Track the state over time, as `track`; default: each sample by itself, as `solve`");
  command.add_file("--plan", options->plan, FileRole::input, "Plan (JSON) of `optimise`");
  command.add_option("--outputs", options->outputs, "Kinds (tau), kinds and names (f.JOINT), or columns, by commas");
  command.add_flag("--sd", options->deviations, "Add a column sd.OUTPUT for each output");
  Command ends = command.under("Inputs and outputs");
  ends.add_file("--input", run.inputs, FileRole::input,
                "-, udp:PORT (127.0.0.1), udp:HOST:PORT, unix:PATH or a file; repeated: several, the first one's clock is the "
                "clock; default: -");
  ends.add_option("--format", options->format, "Of rows: csv, or f64 (frames of little-endian doubles)").capture_default_str();
  ends.add_option("--columns", run.columns, "Names of the inputs' columns by commas, until a header comes");
  ends.add_file("-o,--output", run.output, FileRole::output,
                "Samples as CSV to -, udp:PORT, udp:HOST:PORT, unix:PATH or a file; default: -");
  ends.add_file(
      "--control", run.control, FileRole::input,
      "udp:PORT, unix:PATH or a FIFO for lines `sigma NAME VALUE`, `tare NAME`, `offset NAME VALUE`, `flag NAME 0|1|read`, "
      "`payload LINK MASS [X Y Z [IXX IXY IXZ IYY IYZ IZZ]]`");
  ends.add_file("--diagnostics", run.diagnostics, FileRole::output,
                "Lines of JSON: sensors that are missing, stuck or drift, inputs, counters; default: in words on stderr");
  add_clock_options(command.under("Clock"), run);
  Command record = command.under("Record");
  record.add_file("--record", run.record, FileRole::output, "MCAP file for what came in, with the times of arrival");
  record.add_file("--replay", options->replay, FileRole::input, "A record in place of inputs: the same samples, at full speed");
  Command real_time = command.under("Real time");
  real_time.add_option("--priority", options->priority,
                       "1 to 99: the loop's thread runs under SCHED_FIFO; default: as any other");
  real_time.add_flag("--lock-memory", options->lock_memory, "Keep all memory in RAM (mlockall)");
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer(
      "Example:\n  sparsedyn live robots/arm.urdf --sensors inverse-dynamics --outputs tau --input robots/arm.csv -o tau.csv");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return live(*options); }); }; });
}

}  // namespace sparsedyn::cli
