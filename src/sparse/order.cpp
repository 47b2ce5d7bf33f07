#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {
namespace {

std::string fault(const std::vector<int>& order, int size, const std::string& what) {
  if (static_cast<int>(order.size()) != size)
    return std::to_string(order.size()) + " " + what + ", where the system has " + std::to_string(size);
  std::vector<char> seen(size, 0);
  for (int index : order) {
    if (index < 0 || index >= size) return "index " + std::to_string(index) + " among the " + what + " is out of range";
    if (seen[index]) return "index " + std::to_string(index) + " stands twice among the " + what;
    seen[index] = 1;
  }
  return {};
}

}  // namespace

std::string fault(const Order& order, const Pattern& pattern) {
  if (pattern.rows != pattern.columns) return "a system that is not square has no elimination order";
  const std::string rows = fault(order.rows, pattern.rows, "rows");
  return rows.empty() ? fault(order.columns, pattern.columns, "columns") : rows;
}

}  // namespace sparsedyn
