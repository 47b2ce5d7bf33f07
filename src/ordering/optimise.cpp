#include "sparsedyn/ordering/optimise.hpp"

#include <memory>

#include "sparsedyn/ordering/states.hpp"
#include "sparsedyn/solve/recursive_order.hpp"
#include "sparsedyn/solve/unit_entries.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {
namespace {

constexpr int mixed_states = 200;

/// States, and a scratch for assembling at them.
struct SampledStates {
  std::vector<std::vector<double>> q;
  std::vector<double> v, y;
  SystemWorkspace<double> work;
};

OrderingProblem problem_of(const System& system) {
  OrderingProblem problem;
  problem.pattern = system.pattern();
  problem.unit = unit_entries(system);
  if (const std::optional<Order> order = recursive_order(system)) problem.known.push_back({"recursive", *order});
  if (const std::optional<Order> order = substituted_order(system)) problem.known.push_back({"recursive, substituted", *order});
  problem.samples = samples_of(system);
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
  plan.fingerprint = system.fingerprint();
  plan.numbers = system.numbers_fingerprint();
  plan.health = measure_health(plan, samples_of(system));
  return plan;
}

OptimiseResult optimise(const System& system, const OptimiseOptions& options) {
  if (system.pattern().rows != system.pattern().columns)
    throw std::invalid_argument(std::to_string(system.pattern().rows) + " equations for " +
                                std::to_string(system.pattern().columns) + " unknowns: no order solves that");
  try {
    OptimiseResult result = optimise_order(problem_of(system), options);
    result.plan.fingerprint = system.fingerprint();
    result.plan.numbers = system.numbers_fingerprint();
    return result;
  } catch (const SingularSystem& singular) {
    refuse_singular(system, singular.column);
  }
}

}  // namespace sparsedyn
