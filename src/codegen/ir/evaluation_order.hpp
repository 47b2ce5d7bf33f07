// The order in which a program's nodes are evaluated.
#pragma once

#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// Operands of a node: none, one or two of a and b.
inline int operands(Op op) {
  return op == Op::constant || op == Op::input ? 0 : op == Op::add || op == Op::mul || op == Op::div || op == Op::min ? 2 : 1;
}

struct EvaluationOrder {
  std::vector<int> order;   // nodes that the results need: leaves, what the angles need, sines and cosines, the rest
  std::vector<int> angles;  // arguments of the sines and cosines of the third group
  int body = 0;             // how many come before the rest
};

/// Whether the results need each node.
std::vector<bool> needed_nodes(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results);

/// Operations that the results need.
OperationCounts needed_operations(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results);

/// Instructions for these, sin and cos apart: a sum takes one product with it (FMA) that serves nothing else.
long fused_operations(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results);

EvaluationOrder evaluation_order(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results);

}  // namespace sparsedyn
