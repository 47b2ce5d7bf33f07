// The order in which a RowProgram writes its entries.
#pragma once

#include "codegen/vector/row_program.hpp"

namespace sparsedyn {

/// The freedoms of an entry, by their lanes; the first body's is `bodies`.
struct RowLane {
  int i, j, k;
};

/// write(entries, lanes): for each entry these lanes, one behind the other.
template <class Write>
void rows_in_order(const RowProgram& rows, Write write) {
  const int n = rows.bodies;
  std::vector<RowLane> below, self;
  for (int l = 0; l < n; ++l) below.push_back({n, n, l}), self.push_back({l, l, l});
  const auto of = [](int i, std::vector<RowLane> lanes, const RowStep& step) {
    lanes = {lanes.begin() + step.first, lanes.begin() + step.first + step.lanes};
    for (RowLane& x : lanes) x.i = i;
    return lanes;
  };
  write(rows.first.entries, below);
  write(rows.self.entries, self);
  write(rows.first_self.entries, of(n, self, {n, 0, n}));
  for (const RowStep& s : rows.self_steps) write(rows.above_self.entries, of(s.i, self, s));
  for (std::size_t b = 0; b < rows.pair_steps.size(); ++b) {
    std::vector<RowLane> pairs;
    for (int p = RowProgram::lanes * static_cast<int>(b); p < rows.pairs && pairs.size() < RowProgram::lanes; ++p)
      pairs.push_back(
          {rows.j[static_cast<std::size_t>(p)], rows.j[static_cast<std::size_t>(p)], rows.k[static_cast<std::size_t>(p)]});
    write(rows.pair.entries, pairs);
    write(rows.first_pair.entries, of(n, pairs, {n, 0, static_cast<int>(pairs.size())}));
    for (const RowStep& s : rows.pair_steps[b]) write(rows.above_pair.entries, of(s.i, pairs, s));
  }
}

}  // namespace sparsedyn
