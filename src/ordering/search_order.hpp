#pragma once

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

/// As optimise_order, but without a fallback order: for callers that put an order of their own in its place, or none.
OptimiseResult search_order(const OrderingProblem& problem, const OptimiseOptions& options);

}  // namespace sparsedyn
