// What is left of an ordering problem once everything is substituted that substitution can solve without a division.
#pragma once

#include "sparse/singletons.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

struct CoreProblem {
  Peeled peeled;            // pivots that are ±1 at every state, no fill; rows and columns of the core
  OrderingProblem problem;  // the core, in its own indices; refers to the samples of the whole problem
};

CoreProblem core_of(const OrderingProblem& whole);

/// The order of the whole problem: what was peeled, then the core.
Order whole_order(const CoreProblem& core, const Order& core_order);

}  // namespace sparsedyn
