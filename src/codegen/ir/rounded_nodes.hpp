// Sums and products that are recorded as they are rounded (Graph::rounded_sum, Graph::rounded_product).
#pragma once

#include "sparsedyn/codegen/graph.hpp"

namespace sparsedyn {

/// Whether the node is one: its value is then its own, not that of its operands. What rewrites sums and products leaves it as
/// it is, since an identity that holds for numbers without rounding would take away what rounding left.
inline bool is_rounded(const Graph& graph, std::int32_t node) {
  const Node& n = graph.nodes()[static_cast<std::size_t>(node)];
  if (n.op == Op::add) return !(graph.image(n.a) + graph.image(n.b) == graph.image({node, false}));
  if (n.op == Op::mul) return !(graph.image(n.a) * graph.image(n.b) == graph.image({node, false}));
  return false;
}

}  // namespace sparsedyn
