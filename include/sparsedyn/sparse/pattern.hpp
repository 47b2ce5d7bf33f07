// A sparsity pattern by rows, and an order in which such a system is eliminated: one permutation of its rows, one of its
// columns.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// Compressed rows: row r's columns are column[row_start[r]] … column[row_start[r + 1] - 1], ascending. Values of a matrix
/// with this pattern lie in the same order.
struct Pattern {
  int rows = 0, columns = 0;   // of the matrix
  std::vector<int> row_start;  // rows + 1
  std::vector<int> column;     // entries()
  /// Of a symmetric matrix: the column that belongs to each row, so that A(r, partner[s]) = A(s, partner[r]) at every state;
  /// empty for others. Elimination then computes each value once.
  std::vector<int> partner = {};
  int entries() const { return static_cast<int>(column.size()); }  // that can be nonzero
};

/// Step k eliminates the unknown columns[k] with the equation rows[k] (indices into the pattern).
struct Order {
  std::vector<int> rows, columns;  // n each
};

/// What keeps `order` from being two permutations of the pattern's rows and columns; empty if nothing does. O(n).
std::string fault(const Order& order, const Pattern& pattern);

}  // namespace sparsedyn
