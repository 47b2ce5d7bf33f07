#include "sparsedyn/sparse/plan.hpp"

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

}  // namespace sparsedyn
