#include "options.hpp"

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "determinacy/unloaded_links.hpp"
#include "exit_code.hpp"
#include "io/csv_reader.hpp"
#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "io/text_file.hpp"
#include "messages.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/robot_file.hpp"

namespace sparsedyn::cli {
namespace {

std::pair<std::string, double> joint_and_value(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos) return {text, 0.0};
  double value = 0;
  if (read_number(text.substr(sign + 1), value) != NumberText::number)
    throw UsageError("--lock " + text + ": expected JOINT or JOINT=NUMBER");
  return {text.substr(0, sign), value};
}

}  // namespace

void add_options(Command command, CommonOptions& options) {
  Command messages = command.under("Messages");
  messages.add_flag("--json", options.json, "One JSON object on the standard output");
  messages.add_flag("--quiet", options.quiet, "No warnings and no progress bar");
  messages.add_flag("--strict", options.strict, "Warnings about the robot, the sensor set and the constraints are errors");
}

void add_log_options(Command command, CommonOptions& options) {
  Command logs = command.under("Logs");
  logs.add_option("--separator", options.separator, "Separator of the columns of logs: ',' (default), ';', tab or blank");
  logs.add_flag("--decimal-comma", options.decimal_comma, "Numbers of logs have a decimal comma: 1,5");
}

void set_log_dialect(const CommonOptions& options) {
  static const std::vector<std::pair<std::string, char>> separators{
      {"", ','},    {",", ','},    {"comma", ','}, {";", ';'}, {"semicolon", ';'},
      {"\t", '\t'}, {"\\t", '\t'}, {"tab", '\t'},  {" ", ' '}, {"blank", ' '}};
  for (const auto& [name, separator] : separators)
    if (options.separator == name) return CsvReader::set_dialect({separator, options.decimal_comma});
  throw UsageError("--separator " + options.separator +
                   suggestions_text(options.separator, {"comma", "semicolon", "tab", "blank"}) +
                   ": expected ',', ';', tab or blank");
}

void add_options(Command command, RobotOptions& options) {
  command.add_file("ROBOT", options.urdf, FileRole::input, "URDF file or robot file (info --save), or - for the standard input")
      .required();
  Command robot = command.under("Robot");
  robot.add_flag("--floating", options.floating, "The root link floats instead of being fixed to the world");
  robot
      .add_option("--lock", options.lock,
                  "JOINT[=VALUE] becomes fixed at VALUE (0 without one); massless: every joint that moves neither mass nor "
                  "inertia; repeatable")
      .allow_extra_args(false);
  robot.add_option("--cut", options.cut, "Leave out LINK and everything behind it; repeatable").allow_extra_args(false);
  robot.add_option("--gravity", options.gravity, "X Y Z in the world's frame, m/s² (default: a robot file's, else 0 0 -9.81)")
      .expected(3);
  robot.add_option(
      "--snap", options.snap,
      "Rotation entries within this of 0 and ±1 become exact; default: that of --plan, else\n1e-9 for generate, flops and "
      "optimise of another formulation or of folded costs, else 0 (none)");
  robot.add_flag(
      "--lenient", options.lenient,
      "A moving body with a negative principal moment, and unexpanded macros of xacro, are warnings instead of errors");
  robot.add_flag("--mimic", options.mimic, "Mimic joints follow their leaders exactly; default: they are independent");
  robot.add_file("--joints", options.joints, FileRole::input,
                 "JSON file with armature, damping, friction, offset and stiffness of joints");
  robot.add_flag("--urdf-dynamics", options.urdf_dynamics,
                 "Use damping and friction of the URDF's <dynamics>, and Gazebo's springs");
  robot.add_flag("--urdf-transmissions", options.urdf_transmissions,
                 "Use rotors of the URDF's <transmission> as armature: mechanicalReduction² motorInertia");
}

LoadOptions load_options(const RobotOptions& options) {
  LoadOptions load;
  load.floating = options.floating;
  load.cut = options.cut;
  load.snap = options.snap.value_or(0);
  if (!(load.snap >= 0) || !std::isfinite(load.snap)) throw UsageError("--snap: expected a number ≥ 0");
  load.lenient = options.lenient;
  load.dynamics = options.urdf_dynamics;
  load.transmissions = options.urdf_transmissions;
  load.mimic = options.mimic;
  for (const std::string& text : options.lock) {
    if (text == "massless")  // a joint of that name: massless=0
      load.lock_massless = true;
    else
      load.lock.push_back(joint_and_value(text));
  }
  for (std::size_t i = 0; i < options.gravity.size(); ++i) {
    if (!std::isfinite(options.gravity[i])) throw UsageError("--gravity: expected three finite numbers");
    load.gravity[static_cast<int>(i)] = options.gravity[i];
  }
  return load;
}

void add_sensors_option(Command command, std::string& sensors) {
  command.add_file("--sensors", sensors, FileRole::sensor_set, "Sensor set: a JSON file, inverse-dynamics or forward-dynamics")
      .required();
}

void add_joining_constraints(Command command, std::string& constraints) {
  command.add_file("--constraints", constraints, FileRole::input,
                   "Loops and couplings (JSON), whose hard rows are added to the set");
}

void warn_of_unloaded_links(const Model& model, const SensorSet& set, const CommonOptions& common) {
  report_oddities(unloaded_links(model, set), common);
}

namespace {

/// Each row stands alone here.
void note_keys_over_time(const SensorSet& set, const CommonOptions& common) {
  const bool stated = !set.start.empty() || set.model_wrench.there || set.external_wrench.there || set.acceleration_walk > 0 ||
                      std::any_of(set.sensors.begin(), set.sensors.end(), [](const Sensor& s) { return s.over_time.stated; });
  if (stated)
    note(common, (set.file.empty() ? set.name : set.file) +
                     ": what it says of offsets that walk, delays, contacts' flags and starts is for `track` alone");
}

}  // namespace

SensorSet constrained_set(const std::string& sensors, const std::string& constraints, const Model& model,
                          const CommonOptions& common) {
  SensorSet set = load_sensor_set(sensors);
  warn_of_unloaded_links(model, set, common);
  note_keys_over_time(set, common);
  join_constraints(set, constraints, model, common);
  return set;
}

void join_constraints(SensorSet& set, const std::string& constraints, const Model& model, const CommonOptions& common) {
  if (constraints.empty()) return;
  set.constraints = load_constraint_set(constraints, model);
  const auto& all = set.constraints.constraints;
  const auto soft = std::count_if(all.begin(), all.end(), [](const Constraint& c) { return !c.hard; });
  if (soft > 0)
    report_oddities({constraints + ": " + std::to_string(soft) + " of " + std::to_string(all.size()) +
                     " constraints are soft and left out: only hard rows join a sensor set"},
                    common);
}

std::vector<double> known_effort_limits(const Model& model, const CommonOptions& common) {
  std::vector<double> limits = effort_limits(model);
  if (std::none_of(limits.begin(), limits.end(), [](double x) { return std::isfinite(x); }))
    warn(common, "--effort-limits: no joint's <limit> has an effort above 0");
  return limits;
}

void report_oddities(const std::vector<std::string>& warnings, const CommonOptions& common) {
  if (common.strict && !warnings.empty()) throw OddInput(warnings);
  for (const std::string& text : warnings) warn(common, text);
}

namespace {

/// What only a URDF can answer.
void refuse_urdf_options(const RobotOptions& options, const Model& model) {
  const auto refuse = [](const char* option, const char* expected) {
    throw UsageError(std::string(option) + ": a robot file holds what its robot is; expected " + expected);
  };
  if (options.urdf_dynamics) refuse("--urdf-dynamics", "it where the URDF is saved (info --urdf-dynamics --save)");
  if (options.urdf_transmissions)
    refuse("--urdf-transmissions", "it where the URDF is saved (info --urdf-transmissions --save)");
  if (options.mimic && !model.coordinate_map) refuse("--mimic", "it where the URDF is saved (info --mimic --save)");
}

Model changed_robot(const std::string& text, const RobotOptions& options, LoadReport& report) {
  const LoadOptions load = load_options(options);
  RobotFile file = parse_robot(text, options.urdf);
  refuse_urdf_options(options, file.model);
  RobotChanges changes{load.floating, load.lock, load.lock_massless, load.cut, {}, load.snap};
  if (!options.gravity.empty()) changes.gravity = load.gravity;
  RobotChangeNotes notes;
  try {
    file = changed(std::move(file), changes, &notes);
  } catch (const std::invalid_argument& error) {
    throw UnknownName(error.what());
  }
  report.snapped = notes.snapped, report.locked = notes.massless, report.absent = notes.absent, report.held = file.held;
  report.warnings = notes.warnings;
  return std::move(file.model);
}

}  // namespace

Model load_robot(const RobotOptions& options, const CommonOptions& common, LoadReport* report) {
  LoadReport own;
  LoadReport& told = report ? *report : own;
  const std::string text = read_text_file(options.urdf, "a URDF file or a robot file");
  Model model =
      is_robot_text(text) ? changed_robot(text, options, told) : parse_urdf(text, options.urdf, load_options(options), &told);
  if (!options.joints.empty()) load_joint_physics(options.joints, model, told.absent);
  report_oddities(told.warnings, common);
  return model;
}

}  // namespace sparsedyn::cli
