#include "schedule.hpp"

#include <algorithm>
#include <utility>

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

/// Depth-first order keeps few values, but each operation waits for the one before. Among the next operations of that order (a
/// window, so that values stay few), the one that can start first goes first; of those that can, the one with the longest way
/// to the end (list scheduling: Graham 1969).
class Overlap {
 public:
  explicit Overlap(const std::vector<Node>& nodes)
      : nodes_(nodes), way_(nodes.size(), 0), start_(nodes.size(), 0), done_(nodes.size(), false) {}

  void reorder(Schedule& s) {
    for (std::size_t k = s.order.size(); k-- > static_cast<std::size_t>(s.body);) measure_way(s.order[k]);
    std::vector<int> window, order(s.order.begin(), s.order.begin() + s.body);
    for (int i : order) done_[i] = true;
    std::size_t next = order.size();
    for (int cycle = 0; order.size() < s.order.size();) {
      while (next < s.order.size() && window.size() < kWindow) window.push_back(s.order[next++]);
      const std::size_t chosen = choose(window, cycle);
      const int i = window[chosen];
      window.erase(window.begin() + static_cast<std::ptrdiff_t>(chosen));
      order.push_back(i);
      done_[i] = true;
      cycle = std::max(cycle + 1, earliest(i));
      start_[i] = cycle;
    }
    s.order = std::move(order);
  }

 private:
  static constexpr std::size_t kWindow = 64;
  /// Half cycles: two operations begin in each.
  static int latency(Op op) { return op == Op::div || op == Op::sqrt ? 48 : 8; }

  template <class F>
  void each_operand(int i, F f) const {
    if (operands(nodes_[i].op) > 0) f(nodes_[i].a.node);
    if (operands(nodes_[i].op) > 1) f(nodes_[i].b.node);
  }
  void measure_way(int i) {
    way_[i] += latency(nodes_[i].op);
    each_operand(i, [&](int o) { way_[o] = std::max(way_[o], way_[i]); });
  }
  int earliest(int i) const {
    int t = 0;
    each_operand(i, [&](int o) { t = std::max(t, start_[o] + (start_[o] > 0 ? latency(nodes_[o].op) : 0)); });
    return t;
  }

  /// The first of the window is always ready: its operands come before it in the depth-first order.
  std::size_t choose(const std::vector<int>& window, int cycle) const {
    std::size_t best = 0;
    int best_start = std::max(cycle, earliest(window[0]));
    for (std::size_t k = 1; k < window.size(); ++k) {
      bool ready = true;
      each_operand(window[k], [&](int o) { ready = ready && done_[o]; });
      if (!ready) continue;
      const int start = std::max(cycle, earliest(window[k]));
      if (start < best_start || (start == best_start && way_[window[k]] > way_[window[best]])) best = k, best_start = start;
    }
    return best;
  }

  const std::vector<Node>& nodes_;
  std::vector<int> way_, start_;  // to the end; of each operation
  std::vector<bool> done_;
};

std::vector<bool> needed(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
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

}  // namespace

OperationCounts needed_operations(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
  const std::vector<bool> live = needed(nodes, results);
  OperationCounts counts;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (live[i]) count(nodes[i].op, counts);
  return counts;
}

Schedule schedule(const std::vector<Node>& nodes, const std::vector<std::vector<Ref>>& results) {
  const std::vector<bool> live = needed(nodes, results), after = after_trigonometry(nodes);
  Schedule s;
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
  for (const auto& result : results)
    for (Ref r : result) walk.place(r.node);
  Overlap(nodes).reorder(s);
  return s;
}

}  // namespace sparsedyn
