#include "candidates.hpp"

#include <algorithm>
#include <limits>

#include "order_cost.hpp"
#include "strategies.hpp"

namespace sparsedyn {
namespace {

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

/// Multiplications of the cheapest candidate; more than any order costs where there is none.
long cheapest(const OrderingProblem& problem, const std::vector<Candidate>& candidates) {
  long least = std::numeric_limits<long>::max() / 8;
  for (const Candidate& candidate : candidates) try {
      least = std::min(least, order_cost(problem.pattern, candidate.order, problem.unit).mul);
    } catch (const ZeroPivot&) {
    }
  return least;
}

}  // namespace

std::vector<Candidate> all_candidates(const OrderingProblem& problem, const CoreProblem& core, const OptimiseOptions& options) {
  std::vector<Candidate> candidates = problem.known;
  const auto add = [&](const std::vector<Candidate>& proposals) {
    for (const Candidate& candidate : proposals) candidates.push_back({candidate.strategy, whole_order(core, candidate.order)});
  };
  // the core alone first: substitution costs neither fill nor divisions, and hides structure from the strategies
  if (core.problem.pattern.rows == 0) {
    candidates.push_back({"substitution", core.peeled.order});
  } else {
    add(umfpack_candidates(core.problem, options.umfpack_states));
    add(klu_candidates(core.problem, options.umfpack_states));
    add(markowitz_candidates(core.problem, 4 * cheapest(problem, candidates)));
  }
  for (Candidate& candidate : umfpack_candidates(problem, options.umfpack_states)) candidates.push_back(std::move(candidate));
  drop_repeated_orders(candidates);
  return candidates;
}

std::vector<Candidate> cheapest_first(const OrderingProblem& problem, const std::vector<Candidate>& candidates, long most) {
  std::vector<std::pair<long, const Candidate*>> priced;
  for (const Candidate& candidate : candidates) try {
      priced.push_back({order_cost(problem.pattern, candidate.order, problem.unit, problem.outputs).total(), &candidate});
    } catch (const ZeroPivot&) {
    }
  std::stable_sort(priced.begin(), priced.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Candidate> sorted;
  for (const auto& [price, candidate] : priced)
    if (price <= most) sorted.push_back(*candidate);
  return sorted;
}

}  // namespace sparsedyn
