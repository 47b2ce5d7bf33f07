#pragma once

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

/// As optimise_order, but without a fallback order: for callers that put an order of their own in its place, or none.
/// more: orders of an earlier search, proposed beside those of the strategies; a best one that is good() costs no more than
/// without them.
OptimiseResult search_order(const OrderingProblem& problem, const OptimiseOptions& options,
                            const std::vector<NamedOrder>& more = {});

/// The same of orders that are known, at least one: each is counted and its health sampled anew. Throws
/// std::invalid_argument where an order is none of the pattern's, ZeroPivot where a pivot is structurally zero.
OptimiseResult best_order(const OrderingProblem& problem, const std::vector<NamedOrder>& orders);

/// The plan of an order, for the outputs that count.
inline Plan plan_of(const OrderingProblem& problem, const Order& order) {
  return make_plan(problem.pattern, order, problem.unit, problem.outputs);
}

/// Whether an order is healthy, and small unknowns are as accurate as large ones: what a search is content with.
inline bool good(const Health& health) { return health.healthy() && health.accurate(); }

}  // namespace sparsedyn
