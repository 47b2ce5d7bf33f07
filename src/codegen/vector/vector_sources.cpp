#include "vector_sources.hpp"

#include <algorithm>

#include "codegen/ir/evaluation_order.hpp"

namespace sparsedyn {

bool is_leaf(const Node& node) { return operands(node.op) == 0 || node.op == Op::sin || node.op == Op::cos; }

VectorSources::VectorSources(const std::vector<Node>& nodes, const IsomorphicOperations& calls,
                             const std::vector<std::vector<Ref>>& results, VectorOrder order)
    : nodes_(nodes), calls_(calls), order_(order), first_(calls.first_results(nodes.size())) {
  const std::vector<bool> wanted = needed_nodes(nodes, results);
  calls.for_each([&](const IsomorphicOperation& call) {
    VectorRefs x = call.result;
    make_positive(x);
    const auto computed = [&](Ref r) { return used(r) && !given(r.node); };
    const auto passes_on = [&](VectorRefs operand) { return make_positive(operand), operand == x; };
    if (!uniform(x) && std::any_of(x.begin(), x.end(), computed) && !passes_on(call.a) && !passes_on(call.b))
      makers_.emplace(x, call.time);
    if (!worth_a_home(x, wanted)) return;
    for (std::size_t l = 0; l < x.size() && used(x[l]); ++l)
      if (computed(x[l]) && (order_ == VectorOrder::free || first_[x[l].node].time == call.time))
        homes_.emplace(x[l].node, std::make_pair(x, l));
  });
}

/// Sines and cosines too by time: there before everything else, though an operation may give one again.
bool VectorSources::given(int node) const {
  return order_ == VectorOrder::by_time ? is_leaf(nodes_[node]) : operands(nodes_[node].op) == 0;
}

bool VectorSources::worth_a_home(const VectorRefs& x, const std::vector<bool>& wanted) const {
  std::vector<int> found;
  for (Ref r : x)
    if (used(r) && wanted[r.node] && !given(r.node)) found.push_back(r.node);
  const auto many = static_cast<std::size_t>(std::count_if(x.begin(), x.end(), used));
  if (order_ == VectorOrder::free && found.size() < many) return false;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return 2 * found.size() > many;
}

std::optional<IsomorphicOperation> VectorSources::maker(const VectorRefs& x, std::size_t time) const {
  const auto known = makers_.find(x);
  if (known == makers_.end() || (order_ == VectorOrder::by_time && known->second >= time)) return std::nullopt;
  return calls_.at(known->second);
}

const std::pair<VectorRefs, std::size_t>* VectorSources::home(int node) const {
  const auto known = homes_.find(node);
  return known == homes_.end() ? nullptr : &known->second;
}

Call VectorSources::operation(int node) const {
  const Node& n = nodes_[node];
  const auto [time, call] = first_[node];
  const auto later = [&, t = time](Ref r) { return !is_leaf(nodes_[r.node]) && first_[r.node].time >= t; };
  if (order_ == VectorOrder::by_time && call && (later(n.a) || (operands(n.op) > 1 && later(n.b)))) return *call;
  return {n.op, n.a, n.b, {node, false}};
}

}  // namespace sparsedyn
