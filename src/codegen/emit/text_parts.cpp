#include "text_parts.hpp"

#include <algorithm>

#include "codegen/ir/evaluation_order.hpp"

namespace sparsedyn {
namespace {

std::vector<int> starts_of(const Program& program, const std::vector<std::size_t>& results, int largest) {
  const int first = program.body(), n = static_cast<int>(program.nodes().size());
  std::vector<long> before(program.nodes().size() + 1, 0);  // statements before each node
  for (int i = first; i < n; ++i) before[i + 1] = before[i] + static_cast<long>(results[i]) + 1;
  const int many = static_cast<int>(std::max(1L, (before[n] + largest - 1) / largest));
  std::vector<int> starts;
  for (int p = 0; p < many; ++p) {
    const auto start = std::lower_bound(before.begin() + first, before.begin() + n, before[n] * p / many);
    starts.push_back(static_cast<int>(start - before.begin()));
  }
  starts.push_back(n);
  return starts;
}

}  // namespace

TextParts text_parts(const Program& program, const std::vector<std::size_t>& results, int largest) {
  const std::vector<Node>& nodes = program.nodes();
  TextParts parts{starts_of(program, results, largest), std::vector<int>(nodes.size(), -1), 0};
  std::vector<int> made(nodes.size(), 0), used(nodes.size(), 0),
      busy_until;  // the parts in which a value is made and last used
  for (int p = 0; p + 1 < static_cast<int>(parts.starts.size()); ++p)
    for (int i = parts.starts[p]; i < parts.starts[p + 1]; ++i) {
      made[i] = used[i] = p;
      if (operands(nodes[i].op) > 0) used[nodes[i].a.node] = p;
      if (operands(nodes[i].op) > 1) used[nodes[i].b.node] = p;
    }
  for (int i = program.body(); i < static_cast<int>(nodes.size()); ++i) {
    if (used[i] == made[i]) continue;
    std::size_t s = 0;
    while (s < busy_until.size() && busy_until[s] >= made[i]) ++s;
    if (s == busy_until.size()) busy_until.push_back(0);
    busy_until[s] = used[i];
    parts.slot[i] = static_cast<int>(s);
  }
  parts.slots = static_cast<int>(busy_until.size());
  return parts;
}

}  // namespace sparsedyn
