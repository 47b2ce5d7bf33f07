#include "singletons.hpp"

namespace sparsedyn {
namespace {

class Peeler {
 public:
  Peeler(const Pattern& pattern, const std::vector<char>& may_pivot)
      : pattern_(pattern),
        may_pivot_(may_pivot),
        row_of_(pattern.entries()),
        column_entries_(pattern.columns),
        row_count_(pattern.rows),
        column_count_(pattern.columns, 0),
        row_left_(pattern.rows, 1),
        column_left_(pattern.columns, 1) {
    for (int r = 0; r < pattern.rows; ++r) {
      row_count_[r] = pattern.row_start[r + 1] - pattern.row_start[r];
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        row_of_[e] = r;
        column_entries_[pattern.column[e]].push_back(e);
        ++column_count_[pattern.column[e]];
      }
    }
  }

  Peeled peel() {
    for (int r = 0; r < pattern_.rows; ++r) waiting_rows_.push_back(r);
    for (int c = 0; c < pattern_.columns; ++c) waiting_columns_.push_back(c);
    // first in, first out, rows before columns: the order in which a recursion would find them
    for (std::size_t r = 0, c = 0; r < waiting_rows_.size() || c < waiting_columns_.size();) {
      if (r < waiting_rows_.size())
        try_row(waiting_rows_[r++]);
      else
        try_column(waiting_columns_[c++]);
    }
    for (int r = 0; r < pattern_.rows; ++r)
      if (row_left_[r]) result_.rows.push_back(r);
    for (int c = 0; c < pattern_.columns; ++c)
      if (column_left_[c]) result_.columns.push_back(c);
    return result_;
  }

 private:
  bool may_pivot(int entry) const { return may_pivot_.empty() || may_pivot_[entry]; }

  void try_row(int r) {
    if (!row_left_[r] || row_count_[r] != 1) return;
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e)
      if (column_left_[pattern_.column[e]]) return eliminate(e);
  }

  void try_column(int c) {
    if (!column_left_[c] || column_count_[c] != 1) return;
    for (int e : column_entries_[c])
      if (row_left_[row_of_[e]]) return eliminate(e);
  }

  void eliminate(int pivot) {
    if (!may_pivot(pivot)) return;
    const int r = row_of_[pivot], c = pattern_.column[pivot];
    result_.order.rows.push_back(r), result_.order.columns.push_back(c);
    row_left_[r] = column_left_[c] = 0;
    for (int e : column_entries_[c])
      if (row_left_[row_of_[e]] && --row_count_[row_of_[e]] == 1) waiting_rows_.push_back(row_of_[e]);
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e)
      if (column_left_[pattern_.column[e]] && --column_count_[pattern_.column[e]] == 1)
        waiting_columns_.push_back(pattern_.column[e]);
  }

  const Pattern& pattern_;
  const std::vector<char>& may_pivot_;
  std::vector<int> row_of_;
  std::vector<std::vector<int>> column_entries_;
  std::vector<int> row_count_, column_count_;
  std::vector<char> row_left_, column_left_;
  std::vector<int> waiting_rows_, waiting_columns_;
  Peeled result_;
};

}  // namespace

Peeled peel_singletons(const Pattern& pattern, const std::vector<char>& may_pivot) { return Peeler(pattern, may_pivot).peel(); }

}  // namespace sparsedyn
