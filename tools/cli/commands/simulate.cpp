// sparsedyn simulate: a consistent log of a smooth motion, and what sensors read along it; or a robot that is let go.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/csv_writer.hpp"
#include "io/output_file.hpp"
#include "io/text/how_many.hpp"
#include "program.hpp"
#include "simulate_forward.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/simulation/smooth_motion.hpp"

namespace sparsedyn::cli {
namespace {

long number_of_rows(const SimulateOptions& options) {
  const double rows = std::round(options.seconds * options.rate);
  if (!(options.seconds > 0) || !(options.rate > 0) || !(rows >= 1 && rows <= 1e9))
    throw UsageError("--seconds, --rate: expected positive numbers that make 1 to 1e9 rows");
  return static_cast<long>(rows);
}

/// The motion and its torques: by RNEA, or with the wrenches and readings of a sensor set.
void simulate_rows(const Model& model, const System* system, const SimulateOptions& options, long rows, CsvWriter& out) {
  SmoothMotion motion(model, system, options.seed);
  out.header(motion.columns());
  const std::size_t first_reading = static_cast<std::size_t>(1 + model.nq + 3 * model.nv);
  std::vector<double> row(motion.columns().size());
  Progress progress(options.common);
  for (long k = 0; k < rows; ++k, progress.row()) {
    motion.row(static_cast<double>(k) / options.rate, row.data());
    for (std::size_t c = 0; c < row.size(); ++c)
      c < first_reading || std::isfinite(row[c]) ? out.number(row[c]) : out.empty();  // no centre of pressure without pressure
    out.end_row();
  }
  try {
    motion.require_constants();
  } catch (const ContradictoryConstants& missed) {
    throw AnswerIsNo(missed.what(), json_text({{"worst_violation", missed.by}}));
  }
  out.commit();
}

/// The smooth motion keeps what contacts say of accelerations, but its feet do not stand.
void note_of_contacts(const System& system, const SimulateOptions& options) {
  const auto& sensors = system.sensors().sensors;
  if (std::any_of(sensors.begin(), sensors.end(), [](const Sensor& s) { return s.type == "contact"; }))
    note(options.common,
         options.sensors +
             ": feet move in a smooth motion: no contact flags are written; with --constraints, where the robot "
             "stands on the ground, they are");
}

ExitCode simulate(const SimulateOptions& options) {
  const long rows = number_of_rows(options);
  const bool forward = options.forward || !options.constraints.empty();
  if (!forward && !(options.from.empty() && options.hold.empty() && options.targets.empty() && options.report.empty()))
    throw UsageError("--from, --hold, --targets, --report: expected --forward or --constraints beside them");
  if (!options.plan.empty() && options.constraints.empty()) throw UsageError("--plan: expected --constraints beside it");
  if (options.project && options.constraints.empty()) throw UsageError("--project: expected --constraints beside it");
  if (options.report.empty() && (options.no_meshes || !options.packages.empty()))
    throw UsageError("--package-path, --no-meshes: expected --report beside them");
  if (!forward && options.effort_limits) throw UsageError("--effort-limits: expected --forward or --constraints beside it");
  if (options.repeat && options.targets.empty()) throw UsageError("--repeat: expected --targets beside it");
  if (!forward && options.integrator != SimulateOptions().integrator)
    throw UsageError("--integrator: expected --forward or --constraints beside it");
  check_integrator(options.integrator);
  for (const auto& [option, path] : {std::pair("-o", options.output), std::pair("--report", options.report)})
    if (options.common.json && path == "-")
      throw UsageError(std::string(option) + " - with --json: both would go to the standard output");
  const PlanFile plan = plan_file(options.plan);
  const Model model = load_robot(with_snap(options.robot, plan), options.common);
  if (forward) return simulate_forward(model, options, plan, rows);
  std::optional<System> system;
  if (!options.sensors.empty()) system.emplace(model, constrained_set(options.sensors, "", model, options.common));
  if (system) note_of_contacts(*system, options);
  CsvWriter out(options.output);
  simulate_rows(model, system ? &*system : nullptr, options, rows, out);
  tell(options.common.json ? json_text({{"rows", rows}}) : "simulate: " + how_many(rows, "row", "rows") + "\n",
       options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_simulate(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("simulate", "A consistent log of a smooth motion, or forward simulation");
  const auto options = std::make_shared<SimulateOptions>();
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_option("--seconds", options->seconds, "s: length of the log").capture_default_str();
  command.add_option("--rate", options->rate, "Hz: rows a second").capture_default_str();
  command.add_option("--seed", options->seed, "Of the motion and the noise").capture_default_str();
  command.add_file("-o,--output", options->output, FileRole::output, "CSV file, or - for the standard output").required();
  Command forward = command.under("Forward simulation");
  forward.add_flag("--forward", options->forward, "Forward simulation from rest at q = 0, or --from");
  forward.add_file("--constraints", options->constraints, FileRole::input,
                   "Forward simulation with contacts, loops, stops: JSON");
  forward.add_file("--plan", options->plan, FileRole::input, "JSON of `optimise` for these constraints");
  forward.add_file("--from", options->from, FileRole::input, "CSV file whose first row is the state at the start");
  forward.add_option("--hold", options->hold, "KP,KD: tau = KP (q0 - q) - KD dq, q0 the start's; none at the base");
  forward.add_file("--targets", options->targets, FileRole::input,
                   "CSV file of set points over time: q.JOINT, dq.JOINT, tau.JOINT for --hold");
  forward.add_flag("--repeat", options->repeat, "Repeat the set points: the first row follows the last");
  forward.add_option(
      "--integrator", options->integrator,
      "semi-implicit; implicit-velocity: damping and KD act at the velocity after the step; runge-kutta: 4th order");
  forward.add_flag("--project", options->project, "Close hard loops after each step, by the least change of q and v");
  forward.add_flag("--effort-limits", options->effort_limits, "Torques stay within the URDF's <limit effort> (0: none)");
  Command page = command.under("Page of a forward simulation");
  page.add_file("--report", options->report, FileRole::output,
                "HTML page: an animation of the forward simulation, with energy and forces over time");
  page.add_option("--package-path", options->packages,
                  "Folder that holds packages of package://NAME/… meshes for --report, or is one; repeatable")
      .allow_extra_args(false);
  page.add_flag("--no-meshes", options->no_meshes, "No meshes on the page of --report");
  add_options(command, options->robot);
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn simulate robots/arm.urdf --seconds 10 --rate 250 --seed 1 -o log.csv");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return simulate(*options); }); }; });
}

}  // namespace sparsedyn::cli
