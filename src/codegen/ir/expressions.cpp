#include "expressions.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "evaluation_order.hpp"

namespace sparsedyn {
namespace {

constexpr int kLargest = 8;  // operations of one expression

/// Calls f for each operand that is an operation itself: leaves wait in memory.
template <class F>
void each_operand(const Program& program, int i, F f) {
  const Node& n = program.nodes()[i];
  if (operands(n.op) > 0 && n.a.node >= program.body()) f(n.a.node);
  if (operands(n.op) > 1 && n.b.node >= program.body()) f(n.b.node);
}

/// For each node the one whose expression it belongs to.
std::vector<int> roots(const Program& program) {
  const std::size_t n = program.nodes().size();
  std::vector<int> uses(n, 0), user(n, -1), root(n, -1), operations(n, 1);
  for (const auto& result : program.results())
    for (Ref r : result) uses[r.node] += 2;  // a result has a name
  for (int i = static_cast<int>(n) - 1; i >= program.body(); --i) {
    root[i] = i;
    if (uses[i] == 1 && operations[root[user[i]]] < kLargest) ++operations[root[i] = root[user[i]]];
    each_operand(program, i, [&](int o) { ++uses[o], user[o] = i; });
  }
  return root;
}

/// Angles in the order in which operations need their sines or cosines.
std::vector<int> by_first_use(std::vector<int> angles, const std::vector<Node>& nodes, int body) {
  std::vector<std::size_t> first(nodes.size(), nodes.size());
  for (std::size_t i = nodes.size(); i-- > static_cast<std::size_t>(body);)
    for (int o : {nodes[i].a.node, nodes[i].b.node})
      if (o < body && (nodes[o].op == Op::sin || nodes[o].op == Op::cos)) first[nodes[o].a.node] = i;
  std::stable_sort(angles.begin(), angles.end(), [&](int a, int b) { return first[a] < first[b]; });
  return angles;
}

}  // namespace

Expressions::Expressions(const Program& program) : of(program.nodes().size(), -1) {
  const std::vector<int> root = roots(program);
  const int n = static_cast<int>(root.size());
  int many = 0;
  for (int i = program.body(); i < n; ++i)
    if (root[i] == i) of[i] = many++;
  members.resize(many);
  operands.resize(many);
  users.resize(many);
  for (int i = program.body(); i < n; ++i) members[of[i] = of[root[i]]].push_back(i);
  for (int x = 0; x < many; ++x) {
    std::set<int> found;
    for (int i : members[x]) each_operand(program, i, [&](int o) { found.insert(of[o]); });
    found.erase(x);
    operands[x].assign(found.begin(), found.end());
    for (int o : found) users[o].push_back(x);
  }
}

Program reordered(const Program& program, const Expressions& expressions, const std::vector<int>& order) {
  std::vector<Node> nodes(program.nodes().begin(), program.nodes().begin() + program.body());
  std::vector<int> place(program.nodes().size());
  for (int i = 0; i < program.body(); ++i) place[i] = i;
  for (int x : order)
    for (int i : expressions.members[x]) {
      Node n = program.nodes()[i];
      if (operands(n.op) > 0) n.a.node = place[n.a.node];
      if (operands(n.op) > 1) n.b.node = place[n.b.node];
      place[i] = static_cast<int>(nodes.size());
      nodes.push_back(n);
    }
  std::vector<std::vector<Ref>> results = program.results();
  for (auto& result : results)
    for (Ref& r : result) r.node = place[r.node];
  std::vector<int> angles = by_first_use(program.angles(), nodes, program.body());
  return Program(std::move(nodes), program.body(), std::move(angles), program.inputs(), program.outputs(), std::move(results));
}

}  // namespace sparsedyn
