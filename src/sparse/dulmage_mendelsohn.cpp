#include "dulmage_mendelsohn.hpp"

namespace sparsedyn {
namespace {

/// Maximum matching by augmenting paths (Kuhn 1955), depth first with a stack of its own.
class Matching {
 public:
  explicit Matching(const Pattern& pattern)
      : pattern_(pattern), row_of_column_(pattern.columns, -1), visited_(pattern.columns, -1), next_(pattern.rows, 0) {}

  bool augment(int root) {
    path_.assign(1, root);
    next_[root] = pattern_.row_start[root];
    while (!path_.empty()) {
      const int row = path_.back();
      if (take_free_column(row)) return true;
      const int column = next_unvisited(row, root);
      if (column < 0) {
        path_.pop_back();
        continue;
      }
      const int owner = row_of_column_[column];
      next_[owner] = pattern_.row_start[owner];
      path_.push_back(owner);
    }
    return false;
  }
  /// The row that a column is matched to, or -1.
  const std::vector<int>& row_of_column() const { return row_of_column_; }

 private:
  /// If the row has a free column, shifts the columns along the path and gives it that one.
  bool take_free_column(int row) {
    for (int k = pattern_.row_start[row]; k < pattern_.row_start[row + 1]; ++k) {
      int free = pattern_.column[k];
      if (row_of_column_[free] >= 0) continue;
      for (; !path_.empty(); path_.pop_back()) {
        const int taker = path_.back();
        row_of_column_[free] = taker;
        if (path_.size() > 1) free = pattern_.column[next_[path_[path_.size() - 2]] - 1];
      }
      return true;
    }
    return false;
  }

  int next_unvisited(int row, int root) {
    while (next_[row] < pattern_.row_start[row + 1]) {
      const int column = pattern_.column[next_[row]++];
      if (visited_[column] == root) continue;
      visited_[column] = root;
      return column;
    }
    return -1;
  }

  const Pattern& pattern_;
  std::vector<int> row_of_column_, visited_;
  std::vector<int> next_;  // of each row on the path: the entry to try next
  std::vector<int> path_;  // rows
};

/// Rows that alternating paths reach from `start`: row, a column of it, the row matched to that column, and so on.
std::vector<int> reached_rows(const Pattern& pattern, const std::vector<int>& row_of_column, std::vector<int> start) {
  std::vector<char> reached(pattern.rows, 0);
  for (int row : start) reached[row] = 1;
  for (; !start.empty();) {
    const int row = start.back();
    start.pop_back();
    for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k) {
      const int next = row_of_column[pattern.column[k]];
      if (next >= 0 && !reached[next]) reached[next] = 1, start.push_back(next);
    }
  }
  std::vector<int> rows;
  for (int row = 0; row < pattern.rows; ++row)
    if (reached[row]) rows.push_back(row);
  return rows;
}

Pattern transposed(const Pattern& p) {
  Pattern t{p.columns, p.rows, std::vector<int>(p.columns + 1, 0), std::vector<int>(p.column.size())};
  for (int c : p.column) ++t.row_start[c + 1];
  for (int c = 0; c < p.columns; ++c) t.row_start[c + 1] += t.row_start[c];
  std::vector<int> next(t.row_start.begin(), t.row_start.end() - 1);
  for (int r = 0; r < p.rows; ++r)
    for (int k = p.row_start[r]; k < p.row_start[r + 1]; ++k) t.column[next[p.column[k]]++] = r;
  return t;
}

}  // namespace

StructuralParts dulmage_mendelsohn(const Pattern& pattern) {
  Matching matching(pattern);
  StructuralParts parts;
  std::vector<int> unmatched_rows, unmatched_columns, column_of_row(pattern.rows, -1);
  for (int row = 0; row < pattern.rows; ++row)
    if (matching.augment(row)) ++parts.rank;
  for (int c = 0; c < pattern.columns; ++c) {
    const int row = matching.row_of_column()[c];
    (row < 0 ? unmatched_columns.emplace_back(c) : column_of_row[row] = c);
  }
  for (int row = 0; row < pattern.rows; ++row)
    if (column_of_row[row] < 0) unmatched_rows.push_back(row);
  parts.overdetermined = reached_rows(pattern, matching.row_of_column(), unmatched_rows);
  parts.underdetermined = reached_rows(transposed(pattern), column_of_row, unmatched_columns);
  return parts;
}

}  // namespace sparsedyn
