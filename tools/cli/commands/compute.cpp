// sparsedyn compute: one recursive algorithm, row by row of a log.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "cli/logs/algorithm_inputs.hpp"
#include "cli/logs/time_column.hpp"
#include "cli/rows/row_output.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/massless.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "model/joint_range.hpp"
#include "program.hpp"
#include "requests/inverts_inertia.hpp"
#include "sensitivities.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn::cli {
namespace {

struct ComputeOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string algorithm, log, output, contract, constraints, sensors, outputs, plan;
  std::vector<std::string> targets;
  bool npy = false, effort_limits = false;
};

/// Not in the table: it reads what a sensor set reads.
constexpr const char* sensitivities_name = "sensitivities";
constexpr const char* those_of_contacts =
    "contact-dynamics, contact-inverse-dynamics, contact-derivatives or contact-second-derivatives";

/// Of a folder: those of --npy have the names of the algorithm's matrices, which the robot tells.
std::vector<std::string> files_of(const ComputeOptions& options) {
  return options.algorithm == sensitivities_name ? sensitivity_files(options.output) : std::vector<std::string>{};
}

const ComputedAlgorithm& find_algorithm(const std::string& name) {
  std::vector<std::string> names;
  for (const ComputedAlgorithm& algorithm : computed_algorithms()) {
    if (name == algorithm.name) return algorithm;
    names.push_back(algorithm.name);
  }
  names.push_back(sensitivities_name);
  throw UsageError("compute " + name + ": unknown algorithm" + suggestions_text(name, names) + "; expected one of " +
                   comma_list(names));
}

/// The algorithm, or what it contracts to.
const ComputedAlgorithm& chosen_algorithm(const ComputeOptions& options) {
  const ComputedAlgorithm& algorithm = find_algorithm(options.algorithm);
  if (algorithm.option) throw UsageError(left_out("compute " + options.algorithm, algorithm.option));
  if (options.contract.empty() || algorithm.contracts) return algorithm;
  if (!algorithm.contracted)
    throw UsageError("--contract: " + options.algorithm + " has no second derivatives; expected rnea-second-derivatives, " +
                     "aba-second-derivatives or contact-second-derivatives");
  return *algorithm.contracted;
}

struct ComputeSummary {
  long rows = 0, rows_failed = 0, time_faults = 0;
  double seconds = 0;
  double rows_per_second() const { return seconds > 0 ? static_cast<double>(rows) / seconds : 0.0; }
};

/// Outputs that have no meaning for this robot stay empty, and the row fails for that; the others are written.
struct Meaningless {
  Meaningless(const Model& model, const ComputedAlgorithm& algorithm) : flags(algorithm.outputs(model).size(), 0) {
    if (!algorithm.meaningless) return;
    const MeaninglessColumns none = algorithm.meaningless(model);
    std::vector<std::string> names;
    for (int column : none.columns) flags[column] = 1, names.push_back(algorithm.outputs(model)[column]);
    if (!names.empty()) why = listing(names) + ": left empty; " + none.why;
  }
  std::vector<char> flags;
  std::string why;  // empty where there are none
};

/// Whether all values are finite but those flagged, which become NaN: empty cells.
bool all_finite(std::vector<double>& values, const std::vector<char>& meaningless) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (meaningless[k])
      values[k] = std::numeric_limits<double>::quiet_NaN();
    else if (!std::isfinite(values[k]))
      return false;
  }
  return true;
}

std::unique_ptr<RowOutput> open_output(const Model& model, const ComputedAlgorithm& algorithm, const ComputeOptions& options,
                                       bool timed) {
  const std::vector<std::string> names = algorithm.outputs(model);
  if (options.npy)
    return numpy_output(options.output, algorithm.numbered ? algorithm.numbered(model) : names, algorithm.lower_triangles);
  return algorithm.long_form ? long_form_output(options.output, names, timed) : table_output(options.output, names, timed);
}

/// Why forward dynamics has no answer at any state: a joint of several freedoms, such as a floating root, that has no mass of
/// its own may leave motion open, and rounding may hide that from the pivots. Empty where there is an answer.
std::string why_no_motion(const Model& model, const ComputedAlgorithm& algorithm) {
  const bool several = std::any_of(model.bodies.begin(), model.bodies.end(),
                                   [](const Body& b) { return freedoms(b.joint) > 1 && b.inertia.m == 0; });
  if (!inverts_inertia(algorithm.name) || !several) return "";
  try {
    require_inertia(System(model, load_sensor_set("forward-dynamics")));
  } catch (const SingularSystem& singular) {
    return with_massless_advice(singular.what(), model);
  }
  return "";
}

/// Refuses a robot for which the algorithm has no meaning.
void require_fit(const Model& model, const ComputedAlgorithm& algorithm, const std::string& file) {
  if (!algorithm.misfit) return;
  const AlgorithmMisfit misfit = algorithm.misfit(model);
  if (!misfit.found.empty()) throw InputError(file, 0, misfit.element, misfit.found, misfit.expected);
}

/// Of inverse kinematics: joints to which limits leave one position.
void warn_of_held(const Model& model, const CommonOptions& common) {
  if (const std::vector<std::string> held = held_by_limits(model); !held.empty())
    warn(common, "lower = upper in the limits, so that these joints stay there, as if locked: " + listing(held));
}

ComputeSummary compute_rows(const Model& model, const ComputedAlgorithm& algorithm, CsvReader& log,
                            const ComputeOptions& options) {
  const std::string multipliers = options.contract.empty() ? algorithm.multipliers : options.contract;
  AlgorithmInputs inputs(model, algorithm, multipliers, log, options.common);
  std::vector<std::string> also_known;
  if (algorithm.reads.lambda) also_known = with_prefix(multipliers, velocity_names(model));
  if (algorithm.more_multipliers)
    for (const std::string& name : algorithm.more_multipliers(model)) also_known.push_back(name);
  if (algorithm.reads.pi)
    for (const std::string& name : with_prefix("pi", parameter_names(model))) also_known.push_back(name);
  for (const std::string& link : algorithm.targets)
    for (const std::string& name : pose_columns(link)) also_known.push_back(name);
  warn_of_unknown_columns(log, model, also_known, options.common);
  TimeColumn time(log);
  const Meaningless meaningless(model, algorithm);
  const std::unique_ptr<RowOutput> out = open_output(model, algorithm, options, time.there());

  const std::string no_motion = why_no_motion(model, algorithm);
  const auto evaluation = algorithm.prepare(model);
  std::vector<double> results(algorithm.outputs(model).size());
  ComputeSummary summary;
  FailedRows failed(log.path());
  Progress progress(options.common);
  const auto start = std::chrono::steady_clock::now();
  for (; log.next(); ++summary.rows, progress.row()) {
    const bool readable = inputs.read();
    const bool usable = readable && no_motion.empty();
    const bool evaluated = usable && evaluation->evaluate(inputs.state(), results.data());
    const bool written = usable && (evaluated || evaluation->has_best()) && all_finite(results, meaningless.flags);
    const std::string why = !readable              ? inputs.why()
                            : !no_motion.empty()   ? no_motion
                            : evaluated && written ? meaningless.why
                                                   : evaluation->why();
    if (!why.empty() || !written) failed.add(log.line(), why);
    const std::string at(time.read());
    out->row(time.there() ? &at : nullptr, written ? results.data() : nullptr);
  }
  out->commit();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.clear();
  failed.tell_rest();
  time.warn_of_faults(options.common);
  if (const std::string remark = evaluation->remark(); !remark.empty()) warn(options.common, remark);
  summary.time_faults = time.faults();
  summary.rows_failed = failed.count();
  return summary;
}

std::string summary_text(const ComputedAlgorithm& algorithm, const ComputeSummary& summary) {
  return std::string(algorithm.name) + ": " + how_many(summary.rows, "row", "rows") + ", " +
         std::to_string(summary.rows_failed) + " failed, " + std::to_string(std::lround(summary.rows_per_second())) +
         " rows/s\n";
}

/// With its constraints, or its targets.
ComputedAlgorithm evaluated_algorithm(const Model& model, const ComputedAlgorithm& algorithm, const ComputeOptions& options,
                                      const PlanFile& plan) {
  if (algorithm.constrained) {
    const ConstraintSet set = load_constraint_set(options.constraints, model);
    ConstraintOptions how;
    how.order = freedom_order(model, set, plan);
    if (options.effort_limits) how.effort_limits = known_effort_limits(model, options.common);
    return algorithm.constrained(set, how);
  }
  if (!algorithm.towards) return algorithm;
  std::vector<std::string> links;
  for (const std::string& list : options.targets)
    for (const std::string& link : listed("--target", list)) links.push_back(link);
  return algorithm.towards(model, links);
}

ExitCode compute(const ComputeOptions& options) {
  if (options.algorithm == sensitivities_name) {
    if (!options.constraints.empty()) throw UsageError("--constraints: sensitivities takes none");
    if (!options.contract.empty()) throw UsageError("--contract: sensitivities are first derivatives");
    if (!options.targets.empty()) throw UsageError("--target: sensitivities takes none; expected ik");
    if (options.effort_limits) throw UsageError("--effort-limits: sensitivities takes none; expected contact-dynamics");
    return sensitivities(
        {options.common, options.robot, options.sensors, options.plan, options.outputs, options.log, options.output});
  }
  for (const auto& [option, value] : {std::pair{"--sensors", options.sensors}, std::pair{"--outputs", options.outputs}})
    if (!value.empty())
      throw UsageError(std::string(option) + ": " + options.algorithm + " takes none; expected sensitivities");
  const ComputedAlgorithm& algorithm = chosen_algorithm(options);
  if (options.npy && options.output == "-") throw UsageError("-o - with --npy: expected a folder");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (algorithm.constrained && options.constraints.empty())
    throw UsageError(options.algorithm + ": --constraints FILE.json is required");
  if (!algorithm.constrained && !options.constraints.empty())
    throw UsageError("--constraints: " + options.algorithm + " takes none; expected " + those_of_contacts);
  if (!algorithm.constrained && options.effort_limits)
    throw UsageError("--effort-limits: " + options.algorithm + " takes none; expected " + those_of_contacts);
  if (!algorithm.constrained && !options.plan.empty())
    throw UsageError("--plan: " + options.algorithm + " takes none; expected sensitivities, " + those_of_contacts);
  if (algorithm.towards && options.targets.empty()) throw UsageError(options.algorithm + ": --target LINK is required");
  if (!algorithm.towards && !options.targets.empty())
    throw UsageError("--target: " + options.algorithm + " takes none; expected ik");
  const PlanFile plan = plan_file(options.plan);
  const Model model = load_robot(with_snap(options.robot, plan), options.common);
  require_fit(model, algorithm, options.robot.urdf);
  if (algorithm.towards) warn_of_held(model, options.common);
  const ComputedAlgorithm evaluated = evaluated_algorithm(model, algorithm, options, plan);
  CsvReader log(options.log);
  const ComputeSummary summary = compute_rows(model, evaluated, log, options);
  const Json json{{"algorithm", algorithm.name},
                  {"rows", summary.rows},
                  {"rows_failed", summary.rows_failed},
                  {"time_faults", summary.time_faults},
                  {"rows_per_second", summary.rows_per_second()}};
  tell(options.common.json ? json_text(json) : summary_text(algorithm, summary), options.output == "-");
  return summary.rows_failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_compute(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("compute", "A recursive algorithm on each row of a log");
  const auto options = std::make_shared<ComputeOptions>();
  std::string known;
  for (const ComputedAlgorithm& algorithm : computed_algorithms())
    known += std::string("\n  ") + algorithm.name + ": " + algorithm.summary;
  known +=
      "\n  sensitivities: derivatives of what --sensors gives with respect to q, dq, its inputs and the parameters: a folder";
  command.add_option("ALGORITHM", options->algorithm, "One of those below").required();
  command.add_file("--log", options->log, FileRole::input, "CSV log, or - for the standard input").required();
  command
      .add_folder(
          "-o,--output", options->output, [options] { return files_of(*options); },
          "CSV file, or - for the standard output; with --npy a folder")
      .required();
  command.add_flag("--npy", options->npy, "Matrices and tensors as NumPy files NAME.npy, rows x nv x ... x nv, in the folder");
  command.add_option(
      "--contract", options->contract,
      "Second derivatives times multipliers, the log's columns PREFIX.*, named as those of dq: matrices instead of "
      "tensors; of contact-second-derivatives, always times multipliers, PREFIX is multipliers.ddq unless given");
  command.add_file("--plan", options->plan, FileRole::input,
                   "JSON of `optimise`, for sensitivities and the contact algorithms");
  command.add_option("--target", options->targets, "LINK that ik moves to pose.LINK.*; several by commas, or repeatable")
      .allow_extra_args(false);
  Command contacts = command.under("Contact algorithms");
  contacts.add_file("--constraints", options->constraints, FileRole::input,
                    "Contacts, loops, stops: JSON, for the contact algorithms");
  contacts.add_flag(
      "--effort-limits", options->effort_limits,
      "The contact algorithms take tau within the URDF's <limit effort> (0: none); inverse dynamics say where it is not");
  Command sensitivities = command.under("Sensitivities");
  sensitivities.add_file("--sensors", options->sensors, FileRole::sensor_set,
                         "Sensor set, for sensitivities: a file, or the name of a built-in one");
  sensitivities.add_option("--outputs", options->outputs, "Outputs whose sensitivities are computed, as in solve");
  add_options(command, options->robot);
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer("Algorithms:" + known + "\n\nExample:\n  sparsedyn compute rnea robots/arm.urdf --log in.csv -o tau.csv");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return compute(*options); }); }; });
}

}  // namespace sparsedyn::cli
