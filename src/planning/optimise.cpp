#include "sparsedyn/planning/optimise.hpp"

#include <memory>

#include "ordering/order_cost.hpp"
#include "sparsedyn/model/states.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/recursive_order.hpp"
#include "sparsedyn/system/workspace.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

constexpr int mixed_states = 200;
constexpr std::size_t composite_bodies = 300;  // beyond, counting the n³ operations of a chain's dense M outlasts all else

/// Whose plan it is.
void sign(Plan& plan, const System& system) {
  plan.fingerprint = system.fingerprint();
  plan.numbers = system.numbers_fingerprint();
  const std::string formulation = formulation_name(system.formulation());
  if (formulation != formulation_name({})) plan.formulation = formulation;
}

/// States, and a scratch for assembling at them.
struct SampledStates {
  std::vector<std::vector<double>> q;
  std::vector<double> v, y;
  SystemWorkspace<double> work;
};

/// Adds an order that differs from those known and does not cost many times the first of them.
void propose(OrderingProblem& problem, const std::string& strategy, const std::optional<Order>& order) {
  constexpr long too_many = 4;
  if (!order) return;
  const auto cost = [&](const Order& of) { return order_cost(problem.pattern, of, problem.unit).total(); };
  for (const Candidate& other : problem.known)
    if (other.order.rows == order->rows && other.order.columns == order->columns) return;
  try {
    if (!problem.known.empty() && cost(*order) > too_many * cost(problem.known.front().order)) return;
  } catch (const ZeroPivot&) {  // of the first: named where the system turns out to be singular
  }
  problem.known.push_back({strategy, *order});
}

OrderingProblem problem_of(const System& system, const OptimiseOptions& options) {
  OrderingProblem problem;
  if (!options.outputs.empty()) problem.outputs = Outputs(system, options.outputs).unknowns();
  problem.pattern = system.pattern();
  problem.unit = unit_entries(system);
  propose(problem, "recursive", recursive_order(system));
  propose(problem, "recursive, substituted", substituted_order(system));
  if (system.model().bodies.size() <= composite_bodies) propose(problem, "composite", composite_order(system));
  propose(problem, "nested", nested_order(system));
  problem.samples = sampled(samples_of(system), options);
  return problem;
}

[[noreturn]] void refuse_singular(const System& system, int column) {
  std::string text = "the system is singular at every state";
  if (column >= 0) text += ": nothing determines " + system.unknown_names()[column];
  throw SingularSystem(text, column);
}

}  // namespace

Samples samples_of(const System& system, int random, unsigned seed) {
  std::mt19937 rng(seed);
  const Model& model = system.model();
  auto states = std::make_shared<SampledStates>(SampledStates{
      {}, std::vector<double>(model.nv), std::vector<double>(system.inputs().size()), SystemWorkspace<double>(system)});
  for (int s = 0; s < random; ++s) states->q.push_back(random_state(model, rng));
  for (auto& q : special_states(model, mixed_states, rng)) states->q.push_back(std::move(q));

  Samples samples;
  samples.count = static_cast<int>(states->q.size());
  samples.random = random;
  samples.state = [states](int s) { return states->q[s]; };
  samples.fill = [&system, states, seed](int s, double* values, double* right_side) {
    std::minstd_rand noise(seed * 7919u + static_cast<unsigned>(s) + 1u);
    std::normal_distribution<double> normal;
    for (double& v : states->v) v = normal(noise);
    for (double& y : states->y) y = normal(noise);
    system.assemble(states->q[s].data(), states->v.data(), states->y.data(), values, right_side, states->work);
  };
  return samples;
}

std::optional<Plan> recursive_plan(const System& system) {
  const std::optional<Order> order = recursive_order(system);
  if (!order) return {};
  Plan plan;
  try {
    plan = make_plan(system.pattern(), *order, unit_entries(system));
  } catch (const ZeroPivot& zero) {
    refuse_singular(system, zero.column);
  }
  plan.strategy = "recursive";
  sign(plan, system);
  plan.health = measure_health(plan, samples_of(system));
  return plan;
}

OptimiseResult optimise(const System& system, const OptimiseOptions& options) {
  if (system.pattern().rows != system.pattern().columns)
    throw std::invalid_argument(std::to_string(system.pattern().rows) + " equations for " +
                                std::to_string(system.pattern().columns) + " unknowns: no order solves that");
  try {
    OptimiseResult result = optimise_order(problem_of(system, options), options);
    sign(result.plan, system);
    return result;
  } catch (const SingularSystem& singular) {
    refuse_singular(system, singular.column);
  }
}

}  // namespace sparsedyn
