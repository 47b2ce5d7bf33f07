#include "sparsedyn/ordering/optimise_order.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "candidates.hpp"
#include "expected_cost.hpp"
#include "fallback_order.hpp"
#include "local_search.hpp"
#include "search_order.hpp"
#include "sparse/bounded_health.hpp"
#include "strategies.hpp"

namespace sparsedyn {
namespace {

bool cheaper(const Flops& a, const Flops& b) { return a.total() != b.total() ? a.total() < b.total() : a.mul < b.mul; }

bool ranks_before(const StrategyResult& a, const StrategyResult& b) {
  if (a.health.healthy() != b.health.healthy()) return a.health.healthy();
  if (!a.health.healthy()) return a.health.worst_backward_error < b.health.worst_backward_error;
  if (a.health.accurate() != b.health.accurate()) return a.health.accurate();
  return cheaper(a.flops(), b.flops());
}

void sort_by_cost(std::vector<StrategyResult>& results) {
  std::stable_sort(results.begin(), results.end(),
                   [](const StrategyResult& a, const StrategyResult& b) { return cheaper(a.flops(), b.flops()); });
}

const StrategyResult& best_of(const std::vector<StrategyResult>& results) {
  return *std::min_element(results.begin(), results.end(), ranks_before);
}

constexpr double any_error = std::numeric_limits<double>::infinity();

/// The cost and health of one order, of which `plan` is made. Sampling stops at the first state whose backward error is above
/// `hopeless`.
StrategyResult evaluate(const OrderingProblem& problem, const std::string& strategy, const Plan& plan, double hopeless) {
  const JudgedHealth judged = bounded_health(plan, problem.samples, hopeless);
  return {strategy,      plan.factor_flops(), plan.solve_flops(), plan.elimination.fill,
          judged.health, plan.order,          std::nullopt,       judged.refined};
}
StrategyResult evaluate(const OrderingProblem& problem, const Candidate& candidate, double hopeless = any_error) {
  return evaluate(problem, candidate.strategy, plan_of(problem, candidate.order), hopeless);
}

std::vector<Candidate> proposals_of(const std::string& strategy, const std::vector<Candidate>& candidates) {
  std::vector<Candidate> own;
  for (const Candidate& candidate : candidates)
    if (candidate.strategy == strategy) own.push_back(candidate);
  return own;
}

/// The cheapest healthy proposal of each strategy; where none is healthy its most accurate one, or its cheapest if an earlier
/// strategy has a healthy one. In the order in which strategies were asked. Most of the time goes into measuring health: what
/// costs more than `most` is not tried.
std::vector<StrategyResult> evaluate_all(const OrderingProblem& problem, const std::vector<Candidate>& candidates,
                                         const OptimiseOptions& options, long most = std::numeric_limits<long>::max()) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates)
    if (std::find(names.begin(), names.end(), candidate.strategy) == names.end()) names.push_back(candidate.strategy);
  std::vector<StrategyResult> results;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.progress) options.progress(names[i], static_cast<double>(i) / static_cast<double>(names.size()));
    const std::vector<Candidate> proposals = cheapest_first(problem, proposals_of(names[i], candidates), most);
    if (proposals.empty()) continue;
    const bool served =
        std::any_of(results.begin(), results.end(), [](const StrategyResult& known) { return good(known.health); });
    results.push_back(evaluate(problem, proposals.front()));
    for (std::size_t k = 1; k < proposals.size() && !good(results.back().health); ++k) {
      StrategyResult result = evaluate(problem, proposals[k], served ? 0 : results.back().health.worst_backward_error);
      if (served ? good(result.health) : ranks_before(result, results.back())) results.back() = std::move(result);
    }
  }
  return results;
}

/// Orders that keep a symmetric problem symmetric; none for others.
std::vector<Candidate> whole_symmetric_candidates(const CoreProblem& core) {
  std::vector<Candidate> candidates = symmetric_candidates(core.problem);
  for (Candidate& candidate : candidates) candidate.order = whole_order(core, candidate.order);
  return candidates;
}

/// The part of an order that concerns the core, in the core's indices; none where it pairs the core with what was peeled off.
std::optional<Order> core_part(const CoreProblem& core, const Order& whole) {
  std::vector<int> row(whole.rows.size(), -1), column(whole.columns.size(), -1);
  for (std::size_t r = 0; r < core.peeled.rows.size(); ++r) row[core.peeled.rows[r]] = static_cast<int>(r);
  for (std::size_t c = 0; c < core.peeled.columns.size(); ++c) column[core.peeled.columns[c]] = static_cast<int>(c);
  Order part;
  for (std::size_t k = 0; k < whole.rows.size(); ++k) {
    const int r = row[whole.rows[k]], c = column[whole.columns[k]];
    if ((r < 0) != (c < 0)) return {};
    if (r >= 0) part.rows.push_back(r), part.columns.push_back(c);
  }
  return part;
}

/// Searches from the best order, in the core alone where it can.
void add_local_search(std::vector<StrategyResult>& results, const OrderingProblem& problem, const CoreProblem& core,
                      const OptimiseOptions& options) {
  LocalSearch search;
  search.seconds = options.budget;
  search.steps = options.search_steps;
  search.seed = options.seed;
  if (options.progress) search.progress = [&](double done) { options.progress("local search", done); };
  const Order start = best_of(results).order;
  const std::optional<Order> part = core_part(core, start);
  const Order found = part ? whole_order(core, search_from(core.problem, *part, search)) : search_from(problem, start, search);
  results.push_back(evaluate(problem, {"local search", found}));
}

/// Where the system is singular at special states (an outstretched arm of which little is measured), no pivot serves all of
/// them, and what looks at several states at once proposes nothing: the orders proposed at the random states alone.
std::vector<StrategyResult> of_random_states(const OrderingProblem& problem, const OptimiseOptions& options) {
  OrderingProblem general = problem;
  general.samples.count = general.samples.random;
  if (general.samples.count == 0 || general.samples.count == problem.samples.count) return {};
  const CoreProblem core = core_of(general);
  std::vector<Candidate> candidates = whole_symmetric_candidates(core);
  for (Candidate& other : all_candidates(general, core, options)) candidates.push_back(std::move(other));
  return evaluate_all(problem, candidates, options);
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

/// Sampling is no proof: a plan that is not perfect takes another order along, for where it is weak. Growth beyond what sums of
/// a few links explain tells of states nearby at which a pivot vanishes, also where no error was met.
void add_fallback_order(OptimiseResult& result, const OrderingProblem& problem) {
  constexpr double perfect_error = 1e-15, perfect_growth = 100;
  const Health& health = result.plan.health;
  if (health.worst_backward_error <= perfect_error && health.worst_growth <= perfect_growth) return;
  std::vector<Candidate> others;
  for (const StrategyResult& other : result.strategies) others.push_back({other.strategy, other.order});
  if (std::optional<Candidate> second = fallback_order(problem, result.plan, std::move(others))) {
    result.plan.fallback = std::move(second->order);
    result.plan.fallback_strategy = second->strategy;
  }
}

bool equal(const Order& a, const Order& b) { return a.rows == b.rows && a.columns == b.columns; }

bool stands_in(const std::vector<StrategyResult>& results, const Order& order) {
  return std::any_of(results.begin(), results.end(), [&](const StrategyResult& known) { return equal(known.order, order); });
}

OptimiseResult chosen(std::vector<StrategyResult> results, Plan plan) {
  const StrategyResult& best = best_of(results);
  plan.strategy = best.strategy;
  plan.health = best.health;
  return {std::move(results), std::move(plan)};
}

}  // namespace

OptimiseResult search_order(const OrderingProblem& problem, const OptimiseOptions& options,
                            const std::vector<NamedOrder>& more) {
  const CoreProblem core = core_of(problem);
  std::vector<StrategyResult> results = evaluate_all(problem, whole_symmetric_candidates(core), options);
  long most = std::numeric_limits<long>::max();
  if (!results.empty() && good(results.front().health)) most = results.front().flops().total();
  std::vector<Candidate> candidates = all_candidates(problem, core, options);
  for (const NamedOrder& each : more)
    if (!stands_in(results, each.order)) candidates.push_back(each);
  for (StrategyResult& other : evaluate_all(problem, candidates, options, most)) results.push_back(std::move(other));
  if (results.empty()) results = of_random_states(problem, options);
  if (results.empty()) throw SingularSystem("the system is singular at every state", undetermined(problem));
  if (options.budget > 0) add_local_search(results, problem, core, options);
  sort_by_cost(results);
  Plan plan = plan_of(problem, best_of(results).order);
  return chosen(std::move(results), std::move(plan));
}

OptimiseResult best_order(const OrderingProblem& problem, const std::vector<NamedOrder>& orders) {
  if (orders.empty()) throw std::invalid_argument("no order is given; expected one at least");
  std::vector<StrategyResult> results;
  std::vector<Plan> plans;
  for (const NamedOrder& each : orders) {
    plans.push_back(plan_of(problem, each.order));
    results.push_back(evaluate(problem, each.strategy, plans.back(), any_error));
  }
  sort_by_cost(results);
  const Order& best = best_of(results).order;
  Plan& plan = *std::find_if(plans.begin(), plans.end(), [&](const Plan& each) { return equal(each.order, best); });
  return chosen(std::move(results), std::move(plan));
}

OptimiseResult optimise_order(const OrderingProblem& problem, const OptimiseOptions& options) {
  OptimiseResult result = search_order(problem, options);
  choose_by_expected_cost(result, problem);
  if (!result.plan.fallback) add_fallback_order(result, problem);
  return result;
}

}  // namespace sparsedyn
