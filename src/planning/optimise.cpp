#include "sparsedyn/planning/optimise.hpp"

#include "named_postures.hpp"
#include "ordering/order_cost.hpp"
#include "ordering/reproducible_samples.hpp"
#include "runtime/sign_plan.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t composite_bodies = 300;  // beyond, counting the n³ operations of a chain's dense M outlasts all else

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
  propose(problem, "recursive, loops at roots", rooted_order(system, false));
  propose(problem, "recursive, substituted, loops at roots", rooted_order(system, true));
  if (system.model().bodies.size() <= composite_bodies) propose(problem, "composite", composite_order(system));
  propose(problem, "nested", nested_order(system));
  if (system.formulation().maximal_coordinates) {
    propose(problem, "multipliers", multiplier_order(system));
    propose(problem, "range space", range_space_order(system));
  }
  problem.samples = reproducible(sampled(samples_of(system), options), problem.pattern.entries(), problem.pattern.rows);
  return problem;
}

}  // namespace

std::string states_left_out(const System& system) { return samples_of(system).left_out; }

OptimiseResult optimise(const System& system, const OptimiseOptions& options) {
  if (system.pattern().rows != system.pattern().columns)
    throw std::invalid_argument(std::to_string(system.pattern().rows) + " equations for " +
                                std::to_string(system.pattern().columns) + " unknowns: no order solves that");
  try {
    OptimiseResult result = optimise_order(problem_of(system, options), options);
    name_postures(result.strategies, system.model());
    sign(result.plan, system);
    return result;
  } catch (const SingularSystem& singular) {
    refuse_singular(system, singular.column);
  }
}

}  // namespace sparsedyn
