#include "set_program.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "answers/making_words.hpp"
#include "codegen/ir/health_states.hpp"
#include "codegen/programs/refinement_steps.hpp"
#include "compared_answers.hpp"
#include "determinacy/needs_estimate.hpp"
#include "determinacy/required_inertia.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "json/solver_with_warnings.hpp"
#include "requested_parameters.hpp"
#include "requests/digits/refined_program.hpp"
#include "requests/plan_source.hpp"
#include "requests/recorded_rows.hpp"
#include "runtime/output_request.hpp"
#include "sets_with_inputs.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn {
namespace {

using Words = std::vector<std::string>;

[[noreturn]] void refuse_set(const ProgramRequest& request, const std::string& reason) {
  throw AnswerIsNo(request.sensors + ": " + reason, json::json_text({{"reason", reason}}));
}

/// A set on one robot, as it is asked for.
struct AskedSet {
  std::shared_ptr<const System> system;
  const ProgramRequest& request;
  ReadInputs read;
};

/// What is told of the order. A solver looks at its solutions, straight lines do not. given: the user named the plan; an order
/// that was found here has no name, nor numbers that the user knows.
Words told_of_order(SolverMaking making, const PlanSource& plans, bool given) {
  const bool weak = making.plan_is_weak || making.search_is_weak;
  making.plan_is_weak = making.search_is_weak = false;
  if (!given) making.plan_of_other_numbers = making.plan_solves_only = false;
  const std::string name = given ? plans.stored->name() : "";
  Words words = in_words(making, name);
  if (weak)
    words.push_back((given ? name + ": the order" : "the order of elimination, the best that was found,") +
                    " loses digits at some of the sampled states, and generated code does not look at its solutions; --health "
                    "tells of such states");
  return words;
}

SensorSolver solver_of(const AskedSet& asked, const PlanSource& plans, Words& warnings) {
  SensorSolverOptions wanted;
  wanted.plans = plans;
  wanted.outputs = asked.request.outputs;
  wanted.deviations = asked.request.deviations;
  wanted.estimate = asked.request.weights;
  try {
    SensorSolver solver = solver_with_refusals(asked.system, wanted, warnings);
    const Words words = told_of_order(solver.report().making, plans, asked.request.plan != nullptr);
    warnings.insert(warnings.end(), words.begin(), words.end());
    return solver;
  } catch (const SingularSystem& singular) {
    refuse_set(asked.request, singular.what());
  }
}

Program recorded_set(const AskedSet& asked, const SensorSolver& solver, const DerivativesBy& derivatives,
                     const RobotParameters& parameters, const RefinementSteps& refined = {}) {
  std::optional<Program> program;
  try {
    program = recorded(solver, asked.read, asked.request.weights, derivatives, parameters, refined);
  } catch (const std::invalid_argument& unknown) {
    if (!derivatives.p) throw;
    throw UsageError("--derivatives p: " + std::string(unknown.what()));
  }
  if (program) return *std::move(program);
  if (asked.request.deviations && states_deviations_of_state(*asked.system))
    refuse_set(asked.request, "no program adds the deviations of \"state_sigma\" to those of outputs");
  if (asked.request.deviations && !asked.system->sensors().covariances.empty())
    refuse_set(asked.request, "no program gives the covariances of \"cov\"");
  const std::string why = solver.describe();
  refuse_set(asked.request, why.empty() ? "no program estimates constant offsets" : why);
}

/// Which the set's users do not ask for.
Program without_chi_square(const Program& program) {
  Words kept;
  for (const Port& port : program.outputs())
    if (port.name != "chi2") kept.push_back(port.name);
  return program.only(kept);
}

/// The program of `record`, refined where digits would be lost; of those that are lost all the same a warning tells.
RefinedProgram refined_set(const AskedSet& asked, const SensorSolver& solver, const RecordedWith& record,
                           const ParameterInputs& parameters, Words& warnings) {
  ColumnComparison how;
  how.pi = parameters.nominal, how.single = asked.request.single_precision;
  const auto as_asked = [&](const RefinementSteps& refined) { return without_chi_square(record(refined)); };
  RefinedProgram found = refined_program(solver, asked.read, as_asked, how);
  if (!found.lost.empty())
    warnings.push_back("generated code: " + in_words(found.lost) +
                       "; solve and sd.Solver keep these digits, and loses_digits in the manifest lists the columns");
  return found;
}

Words columns_of(const std::vector<InexactColumn>& lost) {
  Words columns;
  for (const InexactColumn& each : lost) columns.push_back(each.column);
  return columns;
}

/// Those of a program whose solves are refined: outputs have one solve in common, deviations have their own.
Words refined_columns(const Words& outputs, const RefinementSteps& refined) {
  Words columns;
  if (steps_of_unknowns(refined) > 0) columns = outputs;
  for (const std::string& output : outputs)
    if (const std::string deviation = "sd." + output; steps_of(refined, deviation) > 0) columns.push_back(deviation);
  return columns;
}

/// The order of a solver's plan, as a plan that is stored.
std::shared_ptr<const StoredPlan> order_of(const SensorSolver& solver) {
  const AnswerPlan known = solver.plan().value();
  return PlanSource(known.plan ? *known.plan : stored_plan(*known.estimator_plan)).stored;
}

/// What the set's solver gives on the robot of `asked`, whose numbers are those of the inputs `pi`.
ComparedAnswers answers_of(const AskedSet& asked, SensorSolver solver, std::vector<double> pi) {
  Program constant = recorded_set(asked, solver, {}, {});
  return {std::move(solver), std::move(constant), asked.read, std::move(pi)};
}

/// Values of the inputs at which a robot was made by system_with_inputs.
std::vector<double> drawn_values(const System& planned, const ParameterInputs& inputs) {
  const std::vector<double> all = parameters(planned.model());
  std::vector<double> pi;
  for (int k : inputs.columns) pi.push_back(all[static_cast<std::size_t>(k)]);
  return pi;
}

/// Programs of a set in several orders. An order is searched for numbers that are drawn, another one is the robot's own: each
/// is compared at the numbers that it is not for.
class OrderChoice {
 public:
  OrderChoice(const AskedSet& nominal, const AskedSet& planned, const RobotParameters& parameters)
      : nominal_(nominal), planned_(planned), parameters_(parameters) {}

  /// Of the order for drawn numbers, the robot's own, and one searched at both the first that has no fault, else the one with
  /// the least.
  void choose() {
    Words unsaid;
    const std::shared_ptr<const StoredPlan> given = nominal_.request.plan;
    own_.emplace(answers_of(nominal_, solver_of(nominal_, plans_for_the_user(given), unsaid), parameters_.inputs.nominal));
    consider(plans_for_the_user(plan_with_inputs(given, nominal_.system)));
    if (given || best_.fault == Fault::none) return;
    consider(plans_for_the_user(plan_with_inputs(order_of(own_->solver()), nominal_.system)));
    if (best_.fault != Fault::none) consider(searched_at_both());
  }

  /// Digits that are lost at the robot's own numbers, or at general postures, are the end of it. Recorded once more with what
  /// is refined; as long as this lives.
  RecordedWith program(Words& warnings) {
    if (best_.fault == Fault::general)
      refuse_set(nominal_.request, best_.what +
                                       ": no order was found that serves the robot's own parameters and others; expected a "
                                       "robot whose links have mass, or other --parameters");
    warnings.insert(warnings.end(), best_.warnings.begin(), best_.warnings.end());
    if (best_.fault != Fault::none)
      warnings.push_back(best_.what + ", where the program of constants does not; --health tells of such states");
    return [this](const RefinementSteps& refined) {
      return refined.empty() ? *best_.program
                             : recorded_set(planned_, *best_.solver, planned_.request.derivatives, parameters_, refined);
    };
  }
  const ComparedAnswers& own() const { return *own_; }

 private:
  struct Tried {
    std::shared_ptr<SensorSolver> solver;
    std::optional<Program> program;
    Fault fault = Fault::general;
    std::string what;
    Words warnings;
  };

  /// At the robot's own numbers no digit may be lost.
  void judge(Tried& tried) {
    const AnswerFault at_own = own_->fault(*tried.program), at_drawn = drawn_ ? drawn_->fault(*tried.program) : AnswerFault{};
    if (at_own.fault >= Fault::special)
      tried.fault = Fault::general, tried.what = "at the robot's own parameters " + at_own.what;
    else if (at_drawn.fault > at_own.fault)
      tried.fault = at_drawn.fault, tried.what = "at other parameters than the robot's own " + at_drawn.what;
    else
      tried.fault = at_own.fault, tried.what = at_own.what;
  }

  void consider(const PlanSource& plans) {
    Tried found;
    found.solver = std::make_shared<SensorSolver>(solver_of(planned_, plans, found.warnings));
    try {
      found.program = recorded_set(planned_, *found.solver, planned_.request.derivatives, parameters_);
      judge(found);
    } catch (const std::domain_error& zero) {
      found.what = zero.what();
    }
    if (found.program && found.fault != Fault::none && !drawn_)
      drawn_.emplace(
          answers_of(planned_, found.solver->for_another_thread(), drawn_values(*planned_.system, parameters_.inputs)));
    if (!best_.program || found.fault < best_.fault) best_ = std::move(found);
  }

  PlanSource searched_at_both() const {
    const System& system = *planned_.system;
    OptimiseOptions options;
    options.also = std::make_shared<const Samples>(samples_at_own_numbers(nominal_.system, system));
    const bool solves = own_->solver().plan()->plan != nullptr;
    return PlanSource(solves ? optimise(system, options).plan : stored_plan(*plan_estimator(system, {}, options)));
  }

  const AskedSet &nominal_, &planned_;
  const RobotParameters& parameters_;
  std::optional<ComparedAnswers> own_, drawn_;
  Tried best_;
};

}  // namespace

RequestedProgram set_program(const Model& model, const ProgramRequest& request, std::vector<std::string>& warnings) {
  const auto system = std::make_shared<const System>(model, request.set ? *request.set : load_sensor_set(request.sensors));
  const std::vector<std::string> outputs = request.outputs.empty() ? default_outputs(*system) : request.outputs;
  const std::vector<std::string> columns = Outputs(*system, outputs).columns();  // names first: they are the user's
  const AskedSet asked{system, request,
                       request.all_inputs ? ReadInputs(system->inputs().size(), true) : required_inputs(*system)};
  require_inertia(*system);
  const ParameterInputs parameters = requested_parameters(model, "--parameters", request.parameters);
  const bool estimate = request.weights || request.deviations;
  if (!estimate && !request.derivatives.any() && !request.plan && is_plain_dynamics(*system, columns))
    return {{plain_dynamics_program(*system, columns, asked.read, parameters), nullptr}, request.sensors, parameters};
  if (request.weights && !has_noisy_rows(*system))
    throw UsageError("--weights: no sensor of " + request.sensors + " has a sigma");
  RefinedProgram found;
  if (parameters.empty()) {
    const SensorSolver solver = solver_of(asked, plans_for_the_user(request.plan), warnings);
    const auto record = [&](const RefinementSteps& refined) {
      return recorded_set(asked, solver, request.derivatives, {}, refined);
    };
    found = refined_set(asked, solver, record, parameters, warnings);
  } else {
    require_functions_of_base(*system, columns, request.parameters);
    const RobotParameters varying{std::make_shared<const Model>(model), parameters};
    const System examples = system_with_inputs(varying, system->sensors());
    const AskedSet planned{std::make_shared<const System>(examples.of_examples()), request, asked.read};  // which answer, too
    require_same_rank(*system, *planned.system);
    OrderChoice orders(asked, planned, varying);
    orders.choose();
    found = refined_set(asked, orders.own().solver(), orders.program(warnings), parameters, warnings);
  }
  return {{std::move(found.program), nullptr},
          request.sensors,
          parameters,
          columns_of(found.lost),
          refined_columns(columns, found.refined)};
}

}  // namespace sparsedyn
