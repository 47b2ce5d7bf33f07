// A schedule's operations exchanged within a window, so that the order stays about as it is.
#pragma once

#include "codegen/ir/evaluation_order.hpp"

namespace sparsedyn {

/// The operation that can start first goes first; of those that can, the one with the longest way to the end (list scheduling:
/// Graham 1969).
void overlap(const std::vector<Node>& nodes, EvaluationOrder& order);

/// The operation that is the last to use most values goes first (Goodman and Hsu 1988, where registers are scarce).
void let_go(const std::vector<Node>& nodes, EvaluationOrder& order);

}  // namespace sparsedyn
