#include "sparsedyn/ordering/optimise_order.hpp"

#include <algorithm>

#include "strategies.hpp"

namespace sparsedyn {
namespace {

/// Multiplications first: they are what the literature counts; then everything.
bool cheaper(const Flops& a, const Flops& b) { return a.total() != b.total() ? a.total() < b.total() : a.mul < b.mul; }

bool better(const StrategyResult& a, const StrategyResult& b) {
  if (a.health.healthy() != b.health.healthy()) return a.health.healthy();
  if (!a.health.healthy()) return a.health.worst_backward_error < b.health.worst_backward_error;
  return cheaper(a.flops(), b.flops());
}

StrategyResult evaluate(const OrderingProblem& problem, const Candidate& candidate) {
  const Plan plan = make_plan(problem.pattern, candidate.order, problem.unit, problem.outputs);
  return {
      candidate.strategy, plan.factor_flops(), plan.solve_flops(), plan.elimination.fill, measure_health(plan, problem.samples),
      candidate.order};
}

/// The best of each strategy's proposals, cheapest first; of equals, the strategy that was asked first.
std::vector<StrategyResult> evaluate_all(const OrderingProblem& problem, const std::vector<Candidate>& candidates,
                                         const OptimiseOptions& options) {
  std::vector<StrategyResult> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string& name = candidates[i].strategy;
    if (options.progress) options.progress(name, static_cast<double>(i) / static_cast<double>(candidates.size()));
    try {
      StrategyResult result = evaluate(problem, candidates[i]);
      const auto same = std::find_if(best.begin(), best.end(), [&](const StrategyResult& s) { return s.strategy == name; });
      if (same == best.end())
        best.push_back(std::move(result));
      else if (better(result, *same))
        *same = std::move(result);
    } catch (const ZeroPivot&) {  // numbers at one state hid an entry's absence: the order is none
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const StrategyResult& a, const StrategyResult& b) { return cheaper(a.flops(), b.flops()); });
  return best;
}

void drop_repeated_orders(std::vector<Candidate>& candidates) {
  std::vector<Candidate> kept;
  for (Candidate& candidate : candidates) {
    const bool repeated = std::any_of(kept.begin(), kept.end(), [&](const Candidate& other) {
      return other.strategy == candidate.strategy && other.order.rows == candidate.order.rows &&
             other.order.columns == candidate.order.columns;
    });
    if (!repeated) kept.push_back(std::move(candidate));
  }
  candidates = std::move(kept);
}

/// An unknown at which the first order known beforehand fails, or -1.
int undetermined(const OrderingProblem& problem) {
  try {
    if (!problem.known.empty()) eliminate(problem.pattern, problem.known.front().order);
  } catch (const ZeroPivot& zero) {
    return zero.column;
  }
  return -1;
}

/// Sampling is no proof: a plan that is not perfect takes the most accurate other order along.
void add_second_order(OptimiseResult& result, const StrategyResult& chosen) {
  constexpr double perfect = 1e-15;
  const StrategyResult* second = &chosen;
  for (const StrategyResult& other : result.strategies)
    if (other.health.worst_backward_error < second->health.worst_backward_error) second = &other;
  if (second == &chosen || chosen.health.worst_backward_error <= perfect) return;
  result.plan.second = second->order;
  result.plan.second_strategy = second->strategy;
}

}  // namespace

OptimiseResult optimise_order(const OrderingProblem& problem, const OptimiseOptions& options) {
  std::vector<Candidate> candidates = problem.known;
  for (auto& proposals : {umfpack_candidates(problem, options.umfpack_states), markowitz_candidates(problem)})
    candidates.insert(candidates.end(), proposals.begin(), proposals.end());
  drop_repeated_orders(candidates);

  OptimiseResult result;
  result.strategies = evaluate_all(problem, candidates, options);
  if (result.strategies.empty()) throw SingularSystem("the system is singular at every state", undetermined(problem));
  const StrategyResult& chosen = *std::min_element(result.strategies.begin(), result.strategies.end(), better);
  result.plan = make_plan(problem.pattern, chosen.order, problem.unit, problem.outputs);
  result.plan.strategy = chosen.strategy;
  result.plan.health = chosen.health;
  add_second_order(result, chosen);
  return result;
}

}  // namespace sparsedyn
