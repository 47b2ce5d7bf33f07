#include "reorder.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

constexpr std::size_t kWindow = 64;

template <class F>
void each_operand(const Node& n, F f) {
  if (operands(n.op) > 0) f(n.a.node);
  if (operands(n.op) > 1) f(n.b.node);
}

/// Operations one after the other, each taken by `choose` from those of the window whose operands are done. The first of the
/// window is always ready: its operands come before it in the order so far.
template <class Choose, class Done>
void exchange(const std::vector<Node>& nodes, EvaluationOrder& s, Choose choose, Done done) {
  std::vector<bool> known(nodes.size(), false);
  std::vector<int> window, order(s.order.begin(), s.order.begin() + s.body);
  for (int i : order) known[i] = true;
  std::size_t next = order.size();
  while (order.size() < s.order.size()) {
    while (next < s.order.size() && window.size() < kWindow) window.push_back(s.order[next++]);
    std::size_t best = 0;
    for (std::size_t k = 1; k < window.size(); ++k) {
      bool ready = true;
      each_operand(nodes[window[k]], [&](int o) { ready = ready && known[o]; });
      if (ready && choose(window[k], window[best])) best = k;
    }
    const int i = window[best];
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(best));
    order.push_back(i);
    known[i] = true;
    done(i);
  }
  s.order = std::move(order);
}

/// Half cycles: two operations begin in each.
int latency(Op op) { return op == Op::div || op == Op::sqrt ? 48 : 8; }

}  // namespace

void overlap(const std::vector<Node>& nodes, EvaluationOrder& s) {
  std::vector<int> way(nodes.size(), 0), start(nodes.size(), 0);  // to the end; of each operation
  for (std::size_t k = s.order.size(); k-- > static_cast<std::size_t>(s.body);) {
    const int i = s.order[k];
    way[i] += latency(nodes[i].op);
    each_operand(nodes[i], [&](int o) { way[o] = std::max(way[o], way[i]); });
  }
  int cycle = 0;
  const auto earliest = [&](int i) {
    int t = cycle;
    each_operand(nodes[i], [&](int o) { t = std::max(t, start[o] + (start[o] > 0 ? latency(nodes[o].op) : 0)); });
    return t;
  };
  const auto better = [&](int i, int than) {
    const int a = earliest(i), b = earliest(than);
    return a < b || (a == b && way[i] > way[than]);
  };
  exchange(nodes, s, better, [&](int i) { start[i] = cycle = std::max(cycle + 1, earliest(i)); });
}

void free_registers(const std::vector<Node>& nodes, EvaluationOrder& s) {
  std::vector<int> uses(nodes.size(), 0);
  for (int i : s.order) each_operand(nodes[i], [&](int o) { ++uses[o]; });
  for (int k = 0; k < s.body; ++k) uses[s.order[k]] = 0;  // leaves are in memory all the time
  const auto freed = [&](int i) {
    int n = 0;
    each_operand(nodes[i], [&](int o) { n += uses[o] == 1; });
    return n;
  };
  exchange(
      nodes, s, [&](int i, int than) { return freed(i) > freed(than); },
      [&](int i) { each_operand(nodes[i], [&](int o) { --uses[o]; }); });
}

}  // namespace sparsedyn
