#include "sparsedyn/sparse/plan.hpp"

#include "sparsedyn/sparse/detail/refinement_memory.hpp"

namespace sparsedyn {

Plan make_plan(const Pattern& pattern, const Order& order, const UnitEntries& unit, const std::vector<int>& outputs) {
  if (!unit.empty() && static_cast<int>(unit.size()) != pattern.entries())
    throw std::invalid_argument("unit entries: one for each entry of the pattern, or none");
  for (int column : outputs)
    if (column < 0 || column >= pattern.columns)
      throw std::invalid_argument("output " + std::to_string(column) + " is no unknown");
  Plan plan;
  plan.pattern = pattern;
  plan.order = order;
  plan.unit = unit;
  plan.elimination = eliminate(pattern, order);
  plan.program = lu_program(pattern, order, plan.elimination, unit, outputs);
  return plan;
}

std::vector<int> unit_rows(const Plan& plan) {
  const Pattern& pattern = plan.pattern;
  std::vector<int> rows(static_cast<std::size_t>(pattern.columns), -1);
  if (plan.unit.empty()) return rows;
  for (std::size_t k = 0; k < plan.order.rows.size(); ++k) {
    const int row = plan.order.rows[k], column = plan.order.columns[k];
    for (int e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e)
      if (pattern.column[e] == column && plan.unit[e]) rows[static_cast<std::size_t>(column)] = row;
  }
  return rows;
}

}  // namespace sparsedyn
