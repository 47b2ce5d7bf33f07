#include "active_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsedyn {

ActiveMatrix::ActiveMatrix(const OrderingProblem& problem) {
  const Pattern& pattern = problem.pattern;
  rows_.resize(pattern.rows), columns_.resize(pattern.columns);
  largest_.resize(pattern.columns), known_.resize(pattern.columns, 0);
  std::vector<std::vector<double>> values(states, std::vector<double>(pattern.entries()));
  std::vector<double> right_side(pattern.rows);
  for (int k = 0; k < states; ++k) problem.samples.fill(state_in_turn(problem.samples, k), values[k].data(), right_side.data());
  for (int r = 0; r < pattern.rows; ++r) {
    Values largest{};
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      for (int k = 0; k < states; ++k) largest[k] = std::max(largest[k], std::abs(values[k][e]));
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      Entry entry{pattern.column[e], {}};
      for (int k = 0; k < states; ++k) entry.value[k] = largest[k] > 0 ? values[k][e] / largest[k] : 0;
      rows_[r].push_back(entry);
      columns_[entry.column].push_back(r);
    }
    rows_by_count_.insert({row_count(r), r});
  }
  for (int c = 0; c < pattern.columns; ++c) columns_by_count_.insert({column_count(c), c});
}

const ActiveMatrix::Entry& ActiveMatrix::entry(int r, int c) const {
  return *std::lower_bound(rows_[r].begin(), rows_[r].end(), c, [](const Entry& e, int column) { return e.column < column; });
}

const ActiveMatrix::Values& ActiveMatrix::largest_of_column(int c) const {
  Values& largest = largest_[c];
  if (known_[c]) return largest;
  known_[c] = 1;
  largest = {};
  for (int i : columns_[c]) {
    const Values& value = entry(i, c).value;
    for (int k = 0; k < states; ++k) largest[k] = std::max(largest[k], std::abs(value[k]));
  }
  return largest;
}

double ActiveMatrix::quality(int r, int c) const {
  const Values& largest = largest_of_column(c);
  const Values& pivot = entry(r, c).value;
  double worst = 1;
  for (int k = 0; k < states; ++k) worst = std::min(worst, largest[k] > 0 ? std::abs(pivot[k]) / largest[k] : 0.0);
  return worst;
}

void ActiveMatrix::eliminate(int r, int c) {
  const std::vector<Entry> pivot_row = std::move(rows_[r]);
  const std::vector<int> targets = std::move(columns_[c]);
  rows_by_count_.erase({static_cast<int>(pivot_row.size()), r});
  columns_by_count_.erase({static_cast<int>(targets.size()), c});
  columns_[c].clear(), rows_[r].clear();
  Values pivot{};
  for (const Entry& entry : pivot_row) {
    if (entry.column == c) {
      pivot = entry.value;
      continue;
    }
    known_[entry.column] = 0;
    std::vector<int>& column = columns_[entry.column];
    const int before = static_cast<int>(column.size());
    column.erase(std::find(column.begin(), column.end(), r));
    recount_column(entry.column, before);
  }
  for (int target : targets)
    if (target != r) reduce(target, pivot_row, c, pivot);
}

/// row(target) −= row(pivot) · a_target,c / pivot, by merging two sorted rows.
void ActiveMatrix::reduce(int target, const std::vector<Entry>& pivot_row, int c, const Values& pivot) {
  std::vector<Entry>& row = rows_[target];
  Values factor = entry(target, c).value;
  for (int k = 0; k < states; ++k) factor[k] = pivot[k] != 0 ? factor[k] / pivot[k] : 0;
  std::vector<Entry> merged;
  merged.reserve(row.size() + pivot_row.size());
  auto own = row.begin();
  for (const Entry& above : pivot_row) {
    for (; own != row.end() && own->column < above.column; ++own) merged.push_back(*own);
    const bool here = own != row.end() && own->column == above.column;
    Entry sum = here ? *own : Entry{above.column, {}};
    if (here) ++own;
    if (above.column == c) continue;
    for (int k = 0; k < states; ++k) sum.value[k] -= factor[k] * above.value[k];
    merged.push_back(sum);
    if (here) continue;
    columns_[above.column].push_back(target);
    recount_column(above.column, column_count(above.column) - 1);
  }
  merged.insert(merged.end(), own, row.end());
  const int before = static_cast<int>(row.size());
  row = std::move(merged);
  recount_row(target, before);
}

void ActiveMatrix::recount_row(int r, int before) {
  rows_by_count_.erase({before, r});
  rows_by_count_.insert({row_count(r), r});
}

void ActiveMatrix::recount_column(int c, int before) {
  columns_by_count_.erase({before, c});
  columns_by_count_.insert({column_count(c), c});
}

}  // namespace sparsedyn
