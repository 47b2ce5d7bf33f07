#include <numeric>

#include "sparsedyn/ordering/determinacy.hpp"

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

}  // namespace

int structural_rank(const Pattern& pattern) {
  Matching matching(pattern);
  int rank = 0;
  for (int row = 0; row < pattern.rows; ++row) rank += matching.augment(row) ? 1 : 0;
  return rank;
}

}  // namespace sparsedyn
