#pragma once

#include "sparsedyn/ordering/detail/optimise_order.hpp"

namespace sparsedyn {

/// As optimise_order, without a second order: for those that have a use of their own for it, or none.
OptimiseResult search_order(const OrderingProblem& problem, const OptimiseOptions& options);

}  // namespace sparsedyn
