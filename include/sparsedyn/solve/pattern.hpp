// A sparsity pattern by rows.
#pragma once

#include <vector>

namespace sparsedyn {

/// Compressed rows: row r's columns are column[row_start[r]] … column[row_start[r + 1] - 1], ascending. Values of a matrix
/// with this pattern lie in the same order.
struct Pattern {
  int rows = 0, columns = 0;
  std::vector<int> row_start;  // rows + 1
  std::vector<int> column;     // entries()
  int entries() const { return static_cast<int>(column.size()); }
};

}  // namespace sparsedyn
