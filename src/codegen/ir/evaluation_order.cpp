#include "evaluation_order.hpp"

#include <algorithm>
#include <utility>

#include "codegen/passes/reorder.hpp"

namespace sparsedyn {
namespace {

/// For each node, how many values its tree holds at once when evaluated alone (Sethi and Ullman, 1970), sharing ignored.
std::vector<int> register_needs(const std::vector<Node>& nodes) {
  std::vector<int> need(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    if (operands(n.op) == 0 || n.op == Op::sin || n.op == Op::cos) continue;
    const int a = need[n.a.node], b = operands(n.op) == 2 ? need[n.b.node] : 0;
    need[i] = a == b ? a + 1 : std::max(a, b);
  }
  return need;
}

/// Depth-first, the needier operand first, without recursion.
class Walk {
 public:
  Walk(const std::vector<Node>& nodes, std::vector<int>& order)
      : nodes_(nodes), need_(register_needs(nodes)), placed_(nodes.size(), false), order_(order) {}

  void place(int root) {
    stack_.push_back({root, false});
    while (!stack_.empty()) {
      const auto [node, ready] = stack_.back();
      stack_.pop_back();
      if (placed_[node]) continue;
      if (ready) {
        placed_[node] = true;
        order_.push_back(node);
      } else {
        stack_.push_back({node, true});
        push_operands(nodes_[node]);
      }
    }
  }
  bool placed(int node) const { return placed_[node]; }

 private:
  void push_operands(const Node& n) {
    int first = operands(n.op) > 0 ? n.a.node : -1, second = operands(n.op) > 1 ? n.b.node : -1;
    if (second >= 0 && need_[second] > need_[first]) std::swap(first, second);
    if (second >= 0) stack_.push_back({second, false});
    if (first >= 0) stack_.push_back({first, false});
  }

  struct Visit {
    int node;
    bool ready;
  };
  const std::vector<Node>& nodes_;
  std::vector<int> need_;
  std::vector<bool> placed_;
  std::vector<int>& order_;
  std::vector<Visit> stack_;
};

/// Nodes whose value depends on a sine or cosine.
std::vector<bool> after_trigonometry(const std::vector<Node>& nodes) {
  std::vector<bool> after(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    after[i] = n.op == Op::sin || n.op == Op::cos || (operands(n.op) > 0 && after[n.a.node]) ||
               (operands(n.op) > 1 && after[n.b.node]);
  }
  return after;
}

/// Leaves, what the angles need, sines and cosines; behind them the rest, which the results need in the order of `wanted`.
EvaluationOrder depth_first(const std::vector<Node>& nodes, const std::vector<bool>& live, const std::vector<int>& wanted) {
  const std::vector<bool> after = after_trigonometry(nodes);
  EvaluationOrder s;
  Walk walk(nodes, s.order);
  std::vector<int> early;  // sines and cosines that can be taken at once
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!live[i]) continue;
    if (operands(nodes[i].op) == 0) walk.place(static_cast<int>(i));
    if ((nodes[i].op == Op::sin || nodes[i].op == Op::cos) && !after[nodes[i].a.node]) early.push_back(static_cast<int>(i));
  }
  for (int i : early) {
    walk.place(nodes[i].a.node);
    if (std::find(s.angles.begin(), s.angles.end(), nodes[i].a.node) == s.angles.end()) s.angles.push_back(nodes[i].a.node);
  }
  for (int i : early) walk.place(i);
  s.body = static_cast<int>(s.order.size());
  for (int i : wanted) walk.place(i);
  return s;
}

}  // namespace

std::vector<bool> needed_nodes(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
  std::vector<bool> live(nodes.size(), false);
  for (const auto& result : results)
    for (Ref r : result) live[r.node] = true;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!live[i]) continue;
    if (operands(nodes[i].op) > 0) live[nodes[i].a.node] = true;
    if (operands(nodes[i].op) > 1) live[nodes[i].b.node] = true;
  }
  return live;
}

OperationCounts needed_operations(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
  const std::vector<bool> live = needed_nodes(nodes, results);
  OperationCounts counts;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (live[i]) count(nodes[i].op, counts);
  return counts;
}

long fused_operations(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
  const std::vector<bool> live = needed_nodes(nodes, results);
  std::vector<int> uses(nodes.size(), 0);
  for (const auto& result : results)
    for (Ref r : result) uses[r.node] += 2;  // a result is needed by itself
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!live[i]) continue;
    if (operands(nodes[i].op) > 0) ++uses[nodes[i].a.node];
    if (operands(nodes[i].op) > 1) ++uses[nodes[i].b.node];
  }
  const auto joins = [&](int i) { return nodes[i].op == Op::mul && uses[i] == 1; };
  long saved = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    saved += live[i] && nodes[i].op == Op::add && (joins(nodes[i].a.node) || joins(nodes[i].b.node));
  return needed_operations(nodes, results).flops() - saved;
}

/// Where a function has few results, all end at about the same time: operations overlap. Where it has more results than inputs
/// (matrices of derivatives, row by row of which each needs much of the whole) they come in the order in which they were
/// recorded, and operations let go of values: such a text is long, and what it moves to memory and back costs most.
EvaluationOrder evaluation_order(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
  const std::vector<bool> live = needed_nodes(nodes, results);
  std::vector<int> wanted;
  for (const auto& result : results)
    for (Ref r : result) wanted.push_back(r.node);
  std::vector<int> recorded = wanted;
  std::sort(recorded.begin(), recorded.end());
  recorded.erase(std::unique(recorded.begin(), recorded.end()), recorded.end());
  long inputs = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) inputs += live[i] && nodes[i].op == Op::input;
  const bool many = static_cast<long>(recorded.size()) > inputs;
  EvaluationOrder s = depth_first(nodes, live, many ? recorded : wanted);
  if (many)
    free_registers(nodes, s);
  else
    overlap(nodes, s);
  return s;
}

}  // namespace sparsedyn
