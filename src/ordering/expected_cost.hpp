// Orders by what they cost on average, where none serves every state.
#pragma once

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

/// Counts for each order of result.strategies the states at which it alone does not do (StrategyResult::help). States at which
/// the matrix is singular count for no order and against none. Makes that order the plan's
/// whose expected cost is least:
///   cost of the order + Σ over states in need (cost of the fallback + a dense LU where that does not do either) / states
/// with the best fallback among the others, which becomes the plan's. Does nothing where the plan's order is healthy: then
/// no state needs help.
void choose_by_expected_cost(OptimiseResult& result, const OrderingProblem& problem);

}  // namespace sparsedyn
