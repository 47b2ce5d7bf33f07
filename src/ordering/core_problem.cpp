#include "core_problem.hpp"

#include <memory>

namespace sparsedyn {
namespace {

struct Scratch {
  std::vector<double> values, right_side;
};

/// The core's matrices are cut out of the whole ones; its right-hand sides only stand for numbers of the same size.
Samples core_samples(const OrderingProblem& whole, const std::vector<int>& entries, const std::vector<int>& rows) {
  Samples samples = whole.samples;
  const auto scratch = std::make_shared<Scratch>();
  scratch->values.resize(whole.pattern.entries()), scratch->right_side.resize(whole.pattern.rows);
  samples.fill = [fill = whole.samples.fill, scratch, entries, rows](int s, double* values, double* right_side) {
    fill(s, scratch->values.data(), scratch->right_side.data());
    for (std::size_t e = 0; e < entries.size(); ++e) values[e] = scratch->values[entries[e]];
    for (std::size_t r = 0; r < rows.size(); ++r) right_side[r] = scratch->right_side[rows[r]];
  };
  return samples;
}

}  // namespace

CoreProblem core_of(const OrderingProblem& whole) {
  CoreProblem core;
  core.peeled = peel_singletons(whole.pattern, std::vector<char>(whole.unit.begin(), whole.unit.end()));
  std::vector<int> core_column(whole.pattern.columns, -1), entries;
  for (std::size_t c = 0; c < core.peeled.columns.size(); ++c) core_column[core.peeled.columns[c]] = static_cast<int>(c);
  Pattern& pattern = core.problem.pattern;
  pattern.rows = static_cast<int>(core.peeled.rows.size());
  pattern.columns = static_cast<int>(core.peeled.columns.size());
  pattern.row_start.push_back(0);
  for (int r : core.peeled.rows) {
    for (int e = whole.pattern.row_start[r]; e < whole.pattern.row_start[r + 1]; ++e) {
      const int c = core_column[whole.pattern.column[e]];
      if (c < 0) continue;
      pattern.column.push_back(c);
      entries.push_back(e);
      if (!whole.unit.empty()) core.problem.unit.push_back(whole.unit[e]);
    }
    pattern.row_start.push_back(pattern.entries());
  }
  core.problem.samples = core_samples(whole, entries, core.peeled.rows);
  return core;
}

Order whole_order(const CoreProblem& core, const Order& core_order) {
  Order order = core.peeled.order;
  for (int r : core_order.rows) order.rows.push_back(core.peeled.rows[r]);
  for (int c : core_order.columns) order.columns.push_back(core.peeled.columns[c]);
  return order;
}

}  // namespace sparsedyn
