#include "vector_nodes.hpp"

#include "isomorphic_operations.hpp"

namespace sparsedyn {
namespace {

using Kind = LaneNode::Kind;

LaneNode vector_node(Kind kind) {
  LaneNode node;
  node.kind = kind, node.wide = true;
  return node;
}

}  // namespace

Ref LaneNodes::added(LaneNode node) {
  nodes_.push_back(std::move(node));
  return {static_cast<std::int32_t>(nodes_.size()) - 1, false};
}

Ref LaneNodes::constant(double value) {
  LaneNode node;
  node.value = value;
  return added(node);
}

Ref LaneNodes::input(int port, int element) {
  LaneNode node;
  node.kind = Kind::input, node.op = Op::input, node.port = port, node.element = element;
  return added(node);
}

Ref LaneNodes::angle(Op op, int number) {
  LaneNode node;
  node.kind = Kind::angle, node.op = op, node.element = number;
  return added(node);
}

Ref LaneNodes::operation(Op op, bool wide, Ref a, Ref b) {
  LaneNode node;
  node.kind = Kind::operation, node.wide = wide, node.op = op, node.a = a, node.b = b;
  const bool factors = op == Op::mul || op == Op::div, both = op == Op::add && a.negative && b.negative;
  const bool negative = factors ? a.negative != b.negative : both;
  if (factors || both) node.a.negative = node.b.negative = false;
  return with_sign(added(node), negative);
}

Ref LaneNodes::lane(Ref v, std::size_t l) {
  LaneNode node;
  node.kind = Kind::lane, node.a = {v.node, false}, node.element = static_cast<int>(l);
  return with_sign(added(node), v.negative);
}

Ref LaneNodes::turned(Ref v, std::size_t by) {
  LaneNode node = vector_node(Kind::turned);
  node.a = {v.node, false}, node.element = static_cast<int>(by);
  return with_sign(added(node), v.negative);
}

Ref LaneNodes::numbers(std::vector<double> values) {
  LaneNode node = vector_node(Kind::numbers);
  node.values = std::move(values);
  return added(node);
}

Ref LaneNodes::gathered(std::vector<Ref> leaves) {
  LaneNode node = vector_node(Kind::gathered);
  node.leaves = std::move(leaves);
  return added(node);
}

Ref LaneNodes::merged(Ref v, Ref source, std::vector<int> picks) {
  bool in_place = !used(v);
  for (std::size_t l = 0; l < lanes_; ++l) in_place = in_place && (picks[l] < 0 || picks[l] == static_cast<int>(l));
  if (in_place) return source;
  LaneNode node = vector_node(Kind::merged);
  node.a = used(v) ? v : source, node.b = source, node.picks = std::move(picks);
  return added(node);
}

Ref LaneNodes::inserted(Ref v, std::size_t lane, Ref number) {
  LaneNode node = vector_node(used(v) ? Kind::inserted : Kind::spread);
  node.element = static_cast<int>(lane);
  node.a = used(v) ? v : number, node.b = used(v) ? number : Ref{};
  return added(node);
}

}  // namespace sparsedyn
