// The part of a matrix that elimination has not reached yet, with its worst-case pattern and its values at several states at
// once, so that a pivot can be judged by all of them.
#pragma once

#include <array>
#include <set>
#include <utility>
#include <vector>

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

class ActiveMatrix {
 public:
  static constexpr int states = 8;
  using Values = std::array<double, states>;
  struct Entry {
    int column;
    Values value;
  };

  /// Rows are scaled to a largest entry of 1 at each state.
  explicit ActiveMatrix(const OrderingProblem& problem);

  bool empty() const { return rows_by_count_.empty(); }
  const std::vector<Entry>& row(int r) const { return rows_[r]; }
  const std::vector<int>& rows_of_column(int c) const { return columns_[c]; }
  int row_count(int r) const { return static_cast<int>(rows_[r].size()); }
  int column_count(int c) const { return static_cast<int>(columns_[c].size()); }
  const Entry& entry(int r, int c) const;
  /// Rows and columns not yet eliminated, by (entries, index).
  const std::set<std::pair<int, int>>& rows_by_count() const { return rows_by_count_; }
  const std::set<std::pair<int, int>>& columns_by_count() const { return columns_by_count_; }

  /// min over the states of |a_rc| / max_i |a_ic|: how good a pivot is among its column at its worst state.
  double quality(int r, int c) const;

  /// Reduces the other rows by the pivot row and removes row r and column c.
  void eliminate(int r, int c);

 private:
  const Values& largest_of_column(int c) const;
  void reduce(int target, const std::vector<Entry>& pivot_row, int c, const Values& pivot);
  void recount_row(int r, int before);
  void recount_column(int c, int before);

  std::vector<std::vector<Entry>> rows_;   // ascending columns
  std::vector<std::vector<int>> columns_;  // rows of each column
  std::set<std::pair<int, int>> rows_by_count_, columns_by_count_;
  mutable std::vector<Values> largest_;  // of each column, max_i |a_ic|: found when asked for,
  mutable std::vector<char> known_;      // valid until the column changes
};

}  // namespace sparsedyn
