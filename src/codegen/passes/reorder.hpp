// Reorders a schedule's operations within a window, so that the order as a whole stays about the same.
#pragma once

#include "codegen/ir/evaluation_order.hpp"

namespace sparsedyn {

/// The operation that can start first goes first; of those that can, the one with the longest way to the end (list scheduling:
/// Graham 1969).
void overlap(const std::vector<Node>& nodes, EvaluationOrder& order);

/// The operation that is the last use of the most values goes first (Goodman and Hsu 1988, for scarce registers).
void free_registers(const std::vector<Node>& nodes, EvaluationOrder& order);

}  // namespace sparsedyn
