// sparsedyn excite: a periodic motion within the limits, from whose torques `identify` tells the parameters well.
#include "sparsedyn/identification/excite.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>

#include "cli/logs/log_columns.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "identification/logs/fitted_parameters.hpp"
#include "io/csv_writer.hpp"
#include "model/columns.hpp"
#include "model/joint_range.hpp"
#include "program.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

struct ExciteCommand {
  CommonOptions common;
  RobotOptions robot;
  std::string output, fit, criterion = "determinant";
  double seconds = 20, rate = 100;
  std::uint64_t seed = 1, harmonics = 5, budget = 1000;
};

long rows_of(const ExciteCommand& options) {
  const std::optional<long> rows = rows_of_log(options.seconds, options.rate);
  if (!rows) throw UsageError("--seconds, --rate: expected positive numbers that make 1 to 1e9 rows");
  return *rows;
}

ExcitationOptions search_options(const Model& model, const ExciteCommand& options) {
  constexpr std::uint64_t huge = std::numeric_limits<int>::max();  // excite() refuses that much
  const std::optional<ExcitationCriterion> criterion = criterion_named(options.criterion);
  if (!criterion) throw UsageError("--criterion " + options.criterion + ": expected determinant or condition");
  ExcitationOptions search;
  search.period = repeated_period(options.seconds);
  search.harmonics = static_cast<int>(std::min(options.harmonics, huge));
  search.seed = options.seed;
  search.budget = static_cast<int>(std::min(options.budget, huge));
  search.criterion = *criterion;
  if (!options.fit.empty()) search.fitted = fitted_parameters(model, listed_if_given("--fit", options.fit));
  return search;
}

/// Joints of several freedoms move as contacts let them, or by motors that a URDF does not describe.
void require_single_joints(const Model& model, const std::string& file) {
  if (model.nv == 0) throw InputError(file, 0, "robot", "no joint that moves", "joints to be moved");
  for (const Joint& joint : model.tree().joints)
    if (joint.nv != 1) throw InputError(file, 0, "joint " + joint.name, "several freedoms", "joints with one, on a fixed base");
}

/// Zeros in a <limit> are what nobody knew.
void warn_of_zeros(const Model& model, const CommonOptions& common) {
  std::vector<std::string> names;
  for (const Joint& joint : model.tree().joints) {
    if (model.tree().limits.empty()) continue;
    const JointLimits& limits = model.tree().limits[static_cast<std::size_t>(joint.v)];
    if (limits.velocity == 0 || limits.effort == 0) names.push_back(joint.name);
  }
  if (!names.empty()) warn(common, "limits of velocity or effort are 0, taken as none: " + listing(names));
}

/// Joints that limits hold stand still; their holding torque is nobody's.
void warn_of_held(const Model& model, const ExciteCommand& options) {
  std::vector<std::string> held;
  try {
    held = held_by_limits(model);
  } catch (const std::invalid_argument& wrong) {  // joints that move together have no position in common
    throw UsageError(wrong.what());
  }
  if (static_cast<int>(held.size()) == model.nv)
    throw InputError(options.robot.urdf, 0, "robot", "limits that hold every joint (lower = upper)", "joints to be moved");
  if (!held.empty())
    warn(options.common, "lower = upper in the limits, so that these joints stand still, as if locked: " + listing(held));
}

void write_motion(const Model& model, const FourierMotion& motion, const ExciteCommand& options, long rows, CsvWriter& out) {
  out.header(motion_columns(model));
  Workspace<double> work(model);
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> q(n), v(n), a(n), tau(n);
  for (long k = 0; k < rows; ++k) {
    const double t = static_cast<double>(k) / options.rate;
    motion.evaluate(t, q.data(), v.data(), a.data());
    rnea(model, work, q.data(), v.data(), a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    out.number(t);
    for (const auto* part : {&q, &v, &a, &tau})
      for (double x : *part) out.number(x);
    out.end_row();
  }
}

ExitCode excite_command(const ExciteCommand& options) {
  const long rows = rows_of(options);
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  const Model model = with_fitted_springs(load_robot(options.robot, options.common), listed_if_given("--fit", options.fit));
  require_single_joints(model, options.robot.urdf);
  warn_of_zeros(model, options.common);
  warn_of_held(model, options);
  ExcitationOptions search = search_options(model, options);
  Progress progress(options.common);
  search.progress = [&](double share) { progress.part("motions", share); };
  const Excitation best = [&] {
    try {
      return excite(model, search);
    } catch (const std::invalid_argument& wrong) {
      throw UsageError(wrong.what());
    }
  }();
  progress.clear();
  if (!best.found) {
    complain(options.robot.urdf + ": none of " + std::to_string(best.motions) +
             " motions keeps the limits of effort, not even small ones; is the robot too heavy for them?");
    if (options.common.json) tell(json_text({{"found", false}, {"motions", best.motions}}));
    return ExitCode::numerical;
  }
  CsvWriter out(options.output);
  write_motion(model, best.motion, options, rows, out);
  out.commit();
  const Json json{{"found", true},
                  {"rows", rows},
                  {"period", best.motion.period},
                  {"condition", best.condition},
                  {"random_condition", best.random_condition},
                  {"base_parameters", best.base_parameters},
                  {"motions", best.motions}};
  char text[200];
  std::snprintf(text, sizeof text,
                "excite: condition %.4g of %d base parameters (a random motion: %.4g), period %.4g s, %ld rows\n",
                best.condition, best.base_parameters, best.random_condition, best.motion.period, rows);
  tell(options.common.json ? json_text(json) : text, options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_excite(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("excite", "A motion whose torques determine the parameters well for identify");
  const auto options = std::make_shared<ExciteCommand>();
  command.add_option("--seconds", options->seconds, "Length of the log: whole periods, of 10 s at most").capture_default_str();
  command.add_option("--rate", options->rate, "Rows a second").capture_default_str();
  command
      .add_file("-o,--output", options->output, FileRole::output, "CSV with time, q, dq, ddq, tau; - for the standard output")
      .required();
  Command search = command.under("Search");
  search.add_option("--fit", options->fit,
                    "inertia, armature, damping, friction, offset, stiffness, by commas; default: all that the robot has");
  search.add_option("--harmonics", options->harmonics, "Of each joint's Fourier series, 3 to 100").capture_default_str();
  search.add_option("--criterion", options->criterion, "determinant: -log det of the information; or condition")
      .capture_default_str();
  search.add_option("--budget", options->budget, "Motions that are tried").capture_default_str();
  search.add_option("--seed", options->seed, "Of the search").capture_default_str();
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn excite robots/arm.urdf --seconds 20 --rate 100 -o motion.csv");
  command.callback([=, &chosen] { chosen = [=] { return excite_command(*options); }; });
}

}  // namespace sparsedyn::cli
