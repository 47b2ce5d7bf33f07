#include "order_cost.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

/// The pivot of step k is an entry of the matrix that is ±1 at every state, and no step before k changes it.
bool stays_unit(const Pattern& pattern, const Order& order, const UnitEntries& unit, const Elimination& lu, int k) {
  if (unit.empty()) return false;
  const int r = order.rows[k];
  const auto begin = pattern.column.begin() + pattern.row_start[r], end = pattern.column.begin() + pattern.row_start[r + 1];
  const auto entry = std::lower_bound(begin, end, order.columns[k]);
  if (entry == end || *entry != order.columns[k] || unit[entry - pattern.column.begin()] == 0) return false;
  for (int l = lu.lower_start[k]; l < lu.lower_start[k + 1]; ++l) {
    const int j = lu.lower[l];
    if (std::binary_search(lu.upper.begin() + lu.upper_start[j], lu.upper.begin() + lu.upper_start[j + 1], k)) return false;
  }
  return true;
}

}  // namespace

Flops order_cost(const Pattern& pattern, const Order& order, const UnitEntries& unit, const std::vector<int>& outputs) {
  const Elimination lu = eliminate(pattern, order);
  if (!outputs.empty()) return lu_cost(pattern, order, lu, unit, outputs);
  std::vector<long> below(lu.size(), 0);
  for (int j : lu.lower) ++below[j];
  Flops cost;
  for (int k = 0; k < lu.size(); ++k) {
    const long l = below[k], u = lu.upper_start[k + 1] - lu.upper_start[k];
    cost.mul += l * u + l + u;
    cost.add += l * u + l + u;
    if (stays_unit(pattern, order, unit, lu, k)) continue;
    cost.mul += std::min(l, u) + 1;  // and the right-hand side or the solution
    ++cost.div;
  }
  cost.add -= lu.fill;  // an entry that the matrix lacks starts with its first product
  return cost;
}

}  // namespace sparsedyn
