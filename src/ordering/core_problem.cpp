#include "core_problem.hpp"

#include <algorithm>
#include <memory>

namespace sparsedyn {
namespace {

struct Scratch {
  std::vector<double> values, right_side;
};

/// The core's matrices are cut out of the whole ones; its right-hand sides only stand for numbers of the same size.
Samples core_samples(const OrderingProblem& whole, const std::vector<int>& entries, const std::vector<int>& rows) {
  Samples samples = whole.samples;
  samples.moved = nullptr;
  const auto scratch = std::make_shared<Scratch>();
  scratch->values.resize(whole.pattern.entries()), scratch->right_side.resize(whole.pattern.rows);
  samples.fill = [fill = whole.samples.fill, scratch, entries, rows](int s, double* values, double* right_side) {
    fill(s, scratch->values.data(), scratch->right_side.data());
    for (std::size_t e = 0; e < entries.size(); ++e) values[e] = scratch->values[entries[e]];
    for (std::size_t r = 0; r < rows.size(); ++r) right_side[r] = scratch->right_side[rows[r]];
  };
  return samples;
}

/// The core's unknowns that some output is computed from. A peeled unknown is computed from what its row holds of later ones;
/// what stands before it in the order does not depend on the core.
std::vector<int> core_outputs(const OrderingProblem& whole, const Peeled& peeled, const std::vector<int>& core_column) {
  std::vector<char> wanted(whole.pattern.columns, 0), done(whole.pattern.columns, 0);
  for (int x : whole.outputs) wanted[x] = 1;
  for (std::size_t k = 0; k < peeled.order.rows.size(); ++k) {
    const int r = peeled.order.rows[k], c = peeled.order.columns[k];
    done[c] = 1;
    for (int e = whole.pattern.row_start[r]; wanted[c] && e < whole.pattern.row_start[r + 1]; ++e)
      if (!done[whole.pattern.column[e]]) wanted[whole.pattern.column[e]] = 1;
  }
  std::vector<int> outputs;
  for (int c = 0; c < whole.pattern.columns; ++c)
    if (wanted[c] && core_column[c] >= 0) outputs.push_back(core_column[c]);
  return outputs;
}

/// Partners where rows and columns were peeled off together, so that the core is symmetric as the whole is.
std::vector<int> core_partner(const Pattern& whole, const Peeled& peeled, const std::vector<int>& core_column) {
  std::vector<int> partner;
  if (whole.partner.empty()) return partner;
  for (int r : peeled.rows) partner.push_back(core_column[whole.partner[r]]);
  if (std::find(partner.begin(), partner.end(), -1) != partner.end()) partner.clear();
  return partner;
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
    if (!whole.exact.empty()) core.problem.exact.push_back(whole.exact[r]);
    for (int e = whole.pattern.row_start[r]; e < whole.pattern.row_start[r + 1]; ++e) {
      const int c = core_column[whole.pattern.column[e]];
      if (c < 0) continue;
      pattern.column.push_back(c);
      entries.push_back(e);
      if (!whole.unit.empty()) core.problem.unit.push_back(whole.unit[e]);
    }
    pattern.row_start.push_back(pattern.entries());
  }
  pattern.partner = core_partner(whole.pattern, core.peeled, core_column);
  if (!whole.outputs.empty()) core.problem.outputs = core_outputs(whole, core.peeled, core_column);
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
