// sparsedyn simulate: a consistent log of a smooth motion, and what sensors read along it; or a robot that is let go.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/algorithms/algorithm_inputs.hpp"
#include "cli/logs/log_columns.hpp"
#include "cli/reports/motion_page.hpp"
#include "cli/simulation/forward_simulation.hpp"
#include "cli/simulation/sensor_readings.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "command.hpp"
#include "io/csv_writer.hpp"
#include "io/number.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
#include "program.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/constraint_set.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {
namespace {

struct SimulateOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, output, constraints, from, hold, report, integrator = "semi-implicit";
  bool forward = false;
  double seconds = 10, rate = 250;
  std::uint64_t seed = 1;
};

long number_of_rows(const SimulateOptions& options) {
  const double rows = std::round(options.seconds * options.rate);
  if (!(options.seconds > 0) || !(options.rate > 0) || !(rows >= 1 && rows <= 1e9))
    throw UsageError("--seconds, --rate: expected positive numbers that make 1 to 1e9 rows");
  return static_cast<long>(rows);
}

/// The trajectory and its dynamics: by RNEA, or with the wrenches and readings of a sensor set.
void simulate_rows(const Model& model, const System* system, const SimulateOptions& options, long rows, CsvWriter& out) {
  Random random(options.seed);
  const Trajectory trajectory(model, random);
  std::optional<SensorReadings> sensors;
  if (system) sensors.emplace(*system, random);
  std::vector<std::string> header = motion_columns(model);
  if (sensors) header.insert(header.end(), sensors->columns().begin(), sensors->columns().end());
  out.header(header);

  Workspace<double> work(model);
  std::vector<double> q(model.nq), v(model.nv), a(model.nv), tau(model.nv), readings(sensors ? sensors->columns().size() : 0);
  double worst_violation = 0;
  Progress progress(options.common);
  for (long k = 0; k < rows; ++k, progress.row()) {
    const double t = static_cast<double>(k) / options.rate;
    trajectory.evaluate(t, q.data(), v.data(), a.data());
    if (sensors)
      worst_violation =
          std::max(worst_violation, sensors->evaluate(t, q.data(), v.data(), a.data(), tau.data(), readings.data()));
    else
      rnea(model, work, q.data(), v.data(), a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    out.number(t);
    for (const auto* part : {&q, &v, &a, &tau})
      for (double x : *part) out.number(x);
    for (double x : readings) std::isfinite(x) ? out.number(x) : out.empty();  // no centre of pressure without pressure
    out.end_row();
  }
  if (!(worst_violation < 1e-6))
    throw AnswerIsNo(
        "the constants of the sensor set contradict each other or the motion: one is missed by " + number_text(worst_violation),
        json_text({{"worst_violation", worst_violation}}));
  out.commit();
}

/// The state in the first row of a log: q, and dq, which may be missing.
void read_start(const Model& model, const std::string& path, const CommonOptions& common, ForwardMotion& motion) {
  CsvReader log(path);
  LogColumns columns(log);
  for (const std::string& name : with_prefix("q", coordinate_names(model))) columns.need(name);
  columns.zero_if_absent(with_prefix("dq", velocity_names(model)), common);
  columns.check(model);
  if (!log.next()) throw InputError(path, 0, "", "no rows", "a row, at whose state the motion starts");
  std::string why;
  if (!columns.read()) why = columns.why();
  if (why.empty()) normalise_quaternions(model, columns.values().data(), why);
  if (!why.empty()) throw InputError(path, log.line(), "", why, "the state at which the motion starts");
  const double* x = columns.values().data();
  motion.q.assign(x, x + model.nq), motion.v.assign(x + model.nq, x + model.nq + model.nv);
}

/// What is damped at the velocity after a step has one freedom.
void check_implicit(const Model& model, const ForwardMotion& motion, const std::string& urdf) {
  for (const Joint& joint : model.joints)
    if (joint.nv > 1 && joint.name != "base" && motion.kd > 0)
      throw InputError(urdf, 0, "joint \"" + joint.name + "\"", "several freedoms",
                       "joints of one, for --integrator implicit-velocity to hold");
}

/// `KP,KD`, both >= 0.
void read_gains(const std::string& text, ForwardMotion& motion) {
  std::size_t comma = 0, end = 0;
  try {
    motion.kp = std::stod(text, &comma);
    motion.kd = comma < text.size() && text[comma] == ',' ? std::stod(text.substr(comma + 1), &end) : -1;
  } catch (const std::exception&) {
    motion.kd = -1;
  }
  if (!(motion.kp >= 0) || !(motion.kd >= 0) || comma + 1 + end != text.size() || !std::isfinite(motion.kp + motion.kd))
    throw UsageError("--hold " + text + ": expected KP,KD, two numbers >= 0");
}

ExitCode let_go(const Model& model, const SimulateOptions& options, long rows) {
  if (model.coordinate_map)
    throw InputError(options.robot.urdf, 0, "", "joints that follow others (--mimic)",
                     "joints that are independent, to be let go");
  ForwardMotion motion;
  motion.rate = options.rate, motion.rows = rows;
  if (!options.hold.empty()) read_gains(options.hold, motion);
  motion.q.resize(static_cast<std::size_t>(model.nq)), motion.v.assign(static_cast<std::size_t>(model.nv), 0.0);
  neutral(model, motion.q.data());
  ConstraintSet set;
  if (!options.constraints.empty()) set = load_constraint_set(options.constraints, model);
  if (!set.parameters.timestep_given) set.parameters.timestep = 1 / options.rate;
  if (!options.from.empty()) read_start(model, options.from, options.common, motion);
  motion.implicit = options.integrator == "implicit-velocity";
  if (motion.implicit) check_implicit(model, motion, options.robot.urdf);
  CsvWriter out(options.output);
  const std::vector<std::string> header = forward_columns(model, ConstrainedDynamics(model, set));
  out.header(header);
  std::optional<MotionPage> page;
  if (!options.report.empty()) page.emplace(model, set, header, options.rate, rows);
  const SimulationEnd end =
      simulate_forward(model, set, motion, [&](long k, const std::vector<std::string>& columns, const double* row) {
        for (std::size_t c = 0; c < columns.size(); ++c) out.number(row[c]);
        out.end_row();
        if (page) page->add(k, row);
      });
  out.commit();
  const long done = end.row < 0 ? rows : end.row;
  if (end.row >= 0)
    complain(options.output + ": row " + std::to_string(end.row) + ", " +
             number_text(static_cast<double>(end.row) / options.rate) + " s: " + end.why);
  const std::string said = "simulate: " + std::to_string(done) + " rows\n";
  if (page && done > 0) write_file(options.report, page->html(model.name + ", let go", said));
  tell(options.common.json ? json_text({{"rows", done}}) : said, options.output == "-");
  return end.row < 0 ? ExitCode::done : ExitCode::numerical;
}

ExitCode simulate(const SimulateOptions& options) {
  const long rows = number_of_rows(options);
  const bool forward = options.forward || !options.constraints.empty();
  if (forward && !options.sensors.empty()) throw UsageError("--sensors with --forward or --constraints: one of them");
  if (!forward && !(options.from.empty() && options.hold.empty() && options.report.empty()))
    throw UsageError("--from, --hold, --report: expected --forward or --constraints beside them");
  const std::vector<std::string> integrators{"semi-implicit", "implicit-velocity"};
  if (std::find(integrators.begin(), integrators.end(), options.integrator) == integrators.end())
    throw UsageError("--integrator " + options.integrator + suggestions_text(options.integrator, integrators) +
                     ": expected semi-implicit or implicit-velocity");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (options.robot.urdf == "-" && options.sensors == "-") throw UsageError("both the robot and the sensors are -");
  for (const std::string& written : {options.output, options.report})
    if (!written.empty())
      refuse_output_over_input(written, {options.robot.urdf, options.sensors, options.constraints, options.from});
  if (options.report == options.output) throw UsageError("-o and --report: the same file");
  const Model model = load_robot(options.robot, options.common);
  if (forward) return let_go(model, options, rows);
  std::optional<System> system;
  if (!options.sensors.empty()) system.emplace(model, load_sensor_set(options.sensors));
  CsvWriter out(options.output);
  simulate_rows(model, system ? &*system : nullptr, options, rows, out);
  tell(options.common.json ? json_text({{"rows", rows}}) : "simulate: " + std::to_string(rows) + " rows\n",
       options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_simulate(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("simulate", "A consistent log of a smooth motion");
  const auto options = std::make_shared<SimulateOptions>();
  add_options(command, options->robot);
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_option("--seconds", options->seconds, "Length of the log").capture_default_str();
  command.add_option("--rate", options->rate, "Rows a second").capture_default_str();
  command.add_option("--seed", options->seed, "Of the motion and the noise").capture_default_str();
  command.add_flag("--forward", options->forward, "The robot let go: semi-implicit Euler from rest at q = 0, or --from");
  command.add_option("--constraints", options->constraints, "The same with contacts, loops, stops: JSON");
  command.add_option("--from", options->from, "CSV file whose first row is the state at the start");
  command.add_option("--hold", options->hold, "KP,KD: tau = KP (q0 - q) - KD dq, q0 the start's; none at the base");
  command.add_option("--integrator", options->integrator,
                     "semi-implicit; implicit-velocity: damping and KD act at the velocity after the step");
  command.add_option("--report", options->report, "HTML page: the robot let go, to be watched; energy and forces over time");
  command.add_option("-o,--output", options->output, "CSV file, or - for the standard output").required();
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn simulate robots/arm.urdf --seconds 10 --rate 250 --seed 1 -o log.csv");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return simulate(*options); }); }; });
}

}  // namespace sparsedyn::cli
