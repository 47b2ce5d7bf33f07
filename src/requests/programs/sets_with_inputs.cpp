#include "sets_with_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "codegen/ir/health_states.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "runtime/sign_plan.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

[[noreturn]] void answer_no(const std::string& reason) { throw AnswerIsNo(reason, json::json_text({{"reason", reason}})); }

/// See plan_with_inputs.
class PlanWithInputs : public StoredPlan {
 public:
  PlanWithInputs(std::shared_ptr<const StoredPlan> stored, std::shared_ptr<const System> nominal)
      : stored_(std::move(stored)), nominal_(std::move(nominal)) {}
  std::string name() const override { return stored_->name(); }
  Formulation formulation() const override {
    const Formulation f = stored_->formulation();
    if (f.axis_frames())
      throw UsageError("--parameters: parameters are constants in the formulation " + formulation_name(f) + " of " + name() +
                       "; expected a plan whose bodies are in their links' frames (newton-euler, net-forces, shifted, "
                       "maximal-coordinates) or in joint-space");
    return f;
  }
  Plan of_solver(const System& system) const override {
    const Plan known = stored_->of_solver(System(nominal_->model(), nominal_->sensors(), formulation()));
    Plan plan = make_plan(system.pattern(), known.order, unit_entries(system));
    keep_orders(known, plan);
    sign(plan, system);
    return plan;
  }
  std::optional<Plan> of_estimator(const System& system) const override {
    const std::optional<Plan> known = stored_->of_estimator(*nominal_);
    if (!known) return {};
    const EstimatorShape shape = estimator_shape(system);
    Plan plan = make_plan(shape.augmented.pattern(), known->order, shape.unit);
    keep_orders(*known, plan);
    plan.fingerprint = shape.fingerprint, plan.numbers = system.numbers_fingerprint();
    return plan;
  }

 private:
  static void keep_orders(const Plan& known, Plan& plan) {
    plan.strategy = known.strategy, plan.formulation = known.formulation;
    plan.fallback = known.fallback, plan.fallback_strategy = known.fallback_strategy;
    plan.open_gaps = known.open_gaps, plan.gaps = known.gaps;
  }
  std::shared_ptr<const StoredPlan> stored_;
  std::shared_ptr<const System> nominal_;
};

/// Links whose bodies have no mass, but may have some.
std::vector<std::string> links_without_mass(const Model& nominal, const Model& varied) {
  std::vector<std::string> names;
  for (const Joint& joint : nominal.joints) {
    const auto b = static_cast<std::size_t>(joint.first_body + joint.bodies - 1);
    if (nominal.bodies[b].inertia.m == 0 && varied.bodies[b].inertia.m != 0)
      names.push_back(nominal.links[static_cast<std::size_t>(joint.child_link)].name);
  }
  return names;
}

/// A program's outputs at a state, by column; empty where it fails.
std::map<std::string, double> outputs_at(const Program& program, const ProgramState& state) {
  std::vector<std::vector<double>> out;
  std::vector<const double*> arg;
  std::vector<double*> res;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  for (const std::vector<double>& x : state) arg.push_back(x.data());
  for (std::vector<double>& x : out) res.push_back(x.data());
  std::vector<double> workspace(program.nodes().size());
  std::map<std::string, double> found;
  if (!program.evaluate(arg.data(), res.data(), workspace.data())) return found;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < out[k].size(); ++e) found[program.outputs()[k].elements[e]] = out[k][e];
  return found;
}

/// The readings of a program's state, q, dq and those that are read, as the solver takes them.
std::vector<double> all_readings(const SensorSolver& solver, const ReadInputs& read, const std::vector<double>& given) {
  std::vector<double> y(solver.system().inputs().size(), 0.0);
  for (std::size_t k = 0, next = 0; k < y.size(); ++k)
    if (read[k]) y[k] = given[next++];
  return y;
}

/// The output that is farthest from the solver's, beside the largest of these, if it is too far.
std::string wrong_output(const SensorSolver& solver, const std::vector<double>& expected,
                         const std::map<std::string, double>& found) {
  constexpr double most = 1e-6;
  double largest = 1, farthest = 0;
  std::string name;
  for (std::size_t k = 0; k < solver.outputs(); ++k) largest = std::max(largest, std::abs(expected[k]));
  for (std::size_t k = 0; k < solver.outputs(); ++k) {
    const auto at = found.find(solver.columns()[k]);
    if (at == found.end() || !(std::abs(at->second - expected[k]) > farthest)) continue;
    farthest = std::abs(at->second - expected[k]), name = at->first;
  }
  return farthest > most * largest ? name : "";
}

}  // namespace

std::shared_ptr<const StoredPlan> plan_with_inputs(std::shared_ptr<const StoredPlan> stored,
                                                   std::shared_ptr<const System> nominal) {
  if (!stored) return nullptr;
  return std::make_shared<const PlanWithInputs>(std::move(stored), std::move(nominal));
}

void require_functions_of_base(const System& system, const std::vector<std::string>& columns,
                               const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), "base") == names.end()) return;
  for (const std::string& column : columns)
    if (column.rfind("f.", 0) == 0)
      throw UsageError("--parameters base: " + column +
                       " is no function of the base parameters; expected inertial, or other outputs");
  for (const Measurement& m : system.measurements())
    if (m.kind == SensorKind::force_torque || m.kind == SensorKind::com_acceleration || m.kind == SensorKind::momentum_rate)
      throw UsageError("--parameters base: sensor \"" + system.sensors().sensors[static_cast<std::size_t>(m.sensor)].name +
                       "\" reads what is no function of the base parameters; expected inertial");
}

void require_same_rank(const System& nominal, const System& varied) {
  const std::vector<std::string> links = links_without_mass(nominal.model().tree(), varied.model().tree());
  if (links.empty()) return;
  const std::vector<int> open = determinacy(nominal).undetermined, still_open = determinacy(varied).undetermined;
  std::vector<std::string> names;
  for (int x : open)
    if (!std::binary_search(still_open.begin(), still_open.end(), x))
      names.push_back(nominal.unknown_names()[static_cast<std::size_t>(x)]);
  if (!names.empty())
    answer_no("the robot's own parameters do not determine " + listing(names) + ", other ones do: no mass of " +
              listing(links) + "; expected a robot whose links have mass, or other --parameters");
}

void require_nominal_answers(SensorSolver& nominal, const Program& constant, const Program& program, const ReadInputs& read,
                             const ParameterInputs& inputs) {
  const std::string advice =
      ": its order is one for other parameters; expected --plan, a plan that optimise makes for this robot and set, a robot "
      "whose links have mass, or other --parameters";
  std::vector<double> expected(nominal.columns().size());
  const bool weights =
      std::any_of(program.inputs().begin(), program.inputs().end(), [](const Port& port) { return port.name == "weight"; });
  bool any = false;
  for (const ProgramState& state : health_states(nominal.system().model(), program, {{"pi", inputs.nominal}})) {
    const std::map<std::string, double> found = outputs_at(program, state);
    if (found.empty()) continue;
    any = true;
    if (weights) continue;  // others than the solver's
    const std::vector<double> y = all_readings(nominal, read, state[2]);
    if (!nominal.solve(state[0].data(), state[1].data(), y.data(), expected.data()).ok) continue;
    const std::map<std::string, double> usual = outputs_at(constant, ProgramState(state.begin(), state.end() - 1));
    if (usual.empty() || !wrong_output(nominal, expected, usual).empty()) continue;  // nor without inputs
    if (const std::string name = wrong_output(nominal, expected, found); !name.empty())
      answer_no("at the robot's own parameters the program loses the digits of " + name + advice);
  }
  if (!any) answer_no("at the robot's own parameters the program divides by zero at every state" + advice);
}

}  // namespace sparsedyn
