#include "vector_nodes.hpp"

#include "isomorphic_operations.hpp"

namespace sparsedyn {
namespace {

using Kind = VectorNode::Kind;

VectorNode vector_node(Kind kind) {
  VectorNode node;
  node.kind = kind, node.wide = true;
  return node;
}

}  // namespace

Ref VectorNodes::added(VectorNode node) {
  nodes_.push_back(std::move(node));
  return {static_cast<std::int32_t>(nodes_.size()) - 1, false};
}

Ref VectorNodes::constant(double value) {
  VectorNode node;
  node.value = value;
  return added(node);
}

Ref VectorNodes::input(int port, int element) {
  VectorNode node;
  node.kind = Kind::input, node.op = Op::input, node.port = port, node.element = element;
  return added(node);
}

Ref VectorNodes::angle(Op op, int number) {
  VectorNode node;
  node.kind = Kind::angle, node.op = op, node.element = number;
  return added(node);
}

Ref VectorNodes::operation(Op op, bool wide, Ref a, Ref b) {
  VectorNode node;
  node.kind = Kind::operation, node.wide = wide, node.op = op, node.a = a, node.b = b;
  const bool factors = op == Op::mul || op == Op::div, both = op == Op::add && a.negative && b.negative;
  const bool negative = factors ? a.negative != b.negative : both;
  if (factors || both) node.a.negative = node.b.negative = false;
  return with_sign(added(node), negative);
}

Ref VectorNodes::lane(Ref v, std::size_t l) {
  VectorNode node;
  node.kind = Kind::lane, node.a = {v.node, false}, node.element = static_cast<int>(l);
  return with_sign(added(node), v.negative);
}

Ref VectorNodes::turned(Ref v, std::size_t by) {
  VectorNode node = vector_node(Kind::turned);
  node.a = {v.node, false}, node.element = static_cast<int>(by);
  return with_sign(added(node), v.negative);
}

Ref VectorNodes::numbers(std::vector<double> values) {
  VectorNode node = vector_node(Kind::numbers);
  node.values = std::move(values);
  return added(node);
}

Ref VectorNodes::gathered(std::vector<Ref> leaves) {
  VectorNode node = vector_node(Kind::gathered);
  node.leaves = std::move(leaves);
  return added(node);
}

Ref VectorNodes::merged(Ref v, Ref source, std::vector<int> picks) {
  bool in_place = !used(v);
  for (std::size_t l = 0; l < lanes_; ++l) in_place = in_place && (picks[l] < 0 || picks[l] == static_cast<int>(l));
  if (in_place) return source;
  VectorNode node = vector_node(Kind::merged);
  node.a = used(v) ? v : source, node.b = source, node.picks = std::move(picks);
  return added(node);
}

Ref VectorNodes::inserted(Ref v, std::size_t lane, Ref number) {
  VectorNode node = vector_node(used(v) ? Kind::inserted : Kind::spread);
  node.element = static_cast<int>(lane);
  node.a = used(v) ? v : number, node.b = used(v) ? number : Ref{};
  return added(node);
}

}  // namespace sparsedyn
