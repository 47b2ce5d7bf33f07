#include "vector_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/ir/evaluation_order.hpp"

namespace sparsedyn {
namespace {

using Kind = VectorNode::Kind;

/// The same order of evaluation as for numbers: to the schedule a vector is a value like any other.
std::vector<Node> shadow(const std::vector<VectorNode>& nodes) {
  std::vector<Node> shadows;
  for (const VectorNode& n : nodes) {
    Op op = Op::input;
    switch (n.kind) {
      case Kind::operation: op = n.op; break;
      case Kind::lane:
      case Kind::turned:
      case Kind::spread: op = Op::abs; break;
      case Kind::inserted:
      case Kind::merged: op = Op::min; break;
      case Kind::constant: op = Op::constant; break;
      default: break;
    }
    shadows.push_back({op, n.a, n.b, 0.0, 0, 0});
  }
  return shadows;
}

bool is_leaf(const VectorNode& n) { return n.kind == Kind::constant || n.kind == Kind::input || n.kind == Kind::angle; }

void reorder_nodes(SuperwordProgram& p) {
  std::vector<std::vector<Ref>> results(1);
  for (const auto& result : p.results)
    for (Ref r : result)
      if (r.node != SuperwordProgram::no_node) results[0].push_back(r);
  for (const VectorOutput& c : p.columns) results[0].push_back(c.vector);
  const std::vector<int> order = evaluation_order(shadow(p.nodes), results).order;
  std::vector<int> place(p.nodes.size(), 0);
  std::vector<VectorNode> nodes(1);  // nodes[0] is zero
  const auto put = [&](int i) {
    if (i == 0 || place[i] > 0) return;
    place[i] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(p.nodes[i]));
  };
  for (std::size_t i = 0; i < p.nodes.size(); ++i)
    if (is_leaf(p.nodes[i])) put(static_cast<int>(i));
  for (int i : order) put(i);
  const auto move = [&](Ref& r) {
    if (r.node != SuperwordProgram::no_node) r.node = place[r.node];
  };
  for (VectorNode& n : nodes) {
    move(n.a), move(n.b);
    for (Ref& r : n.leaves) move(r);
  }
  for (auto& result : p.results)
    for (Ref& r : result) move(r);
  for (VectorOutput& c : p.columns) move(c.vector);
  p.nodes = std::move(nodes);
}

}  // namespace

SuperwordProgram in_order(SuperwordProgram p, const std::vector<std::vector<int>>& of_column) {
  reorder_nodes(p);
  std::vector<std::size_t> order(p.columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p.columns[a].vector.node < p.columns[b].vector.node; });
  p.elements.assign(p.results.size(), {});
  std::vector<VectorOutput> columns;
  for (std::size_t c : order) {
    VectorOutput column = p.columns[c];
    std::vector<int>& elements = p.elements[column.port];
    column.first = static_cast<int>(elements.size());
    elements.insert(elements.end(), of_column[c].begin(), of_column[c].end());
    columns.push_back(column);
  }
  p.columns = std::move(columns);
  for (std::size_t k = 0; k < p.results.size(); ++k) {
    for (std::size_t e = 0; e < p.results[k].size(); ++e)
      if (p.results[k][e].node != SuperwordProgram::no_node) p.elements[k].push_back(static_cast<int>(e));
    std::vector<Ref> results;
    for (int e : p.elements[k]) results.push_back(p.results[k][static_cast<std::size_t>(e)]);
    p.results[k] = std::move(results);
  }
  return p;
}

}  // namespace sparsedyn
