#include "direct_counts.hpp"

#include <algorithm>
#include <set>

#include "sparsedyn/sparse/elimination.hpp"

namespace sparsedyn {
namespace {

/// The pattern of AᵀA.
Pattern normal_pattern(const Pattern& A) {
  std::vector<std::set<int>> rows(A.columns);
  for (int r = 0; r < A.rows; ++r)
    for (int e = A.row_start[r]; e < A.row_start[r + 1]; ++e)
      rows[A.column[e]].insert(A.column.begin() + A.row_start[r], A.column.begin() + A.row_start[r + 1]);
  Pattern normal{A.columns, A.columns, {0}, {}};
  for (const std::set<int>& row : rows) {
    normal.column.insert(normal.column.end(), row.begin(), row.end());
    normal.row_start.push_back(normal.entries());
  }
  return normal;
}

/// Each entry of the upper triangle of AᵀA and of Aᵀb is a sum of products: one addition fewer than products.
OperationCounts forming(const Pattern& A, const Pattern& normal) {
  OperationCounts counts;
  for (int r = 0; r < A.rows; ++r) {
    const long k = A.row_start[r + 1] - A.row_start[r];
    counts.mul += k * (k + 1) / 2 + k;
  }
  const long sums = (normal.entries() + normal.rows) / 2 + normal.rows;
  counts.add = std::max(0L, counts.mul - sums);
  return counts;
}

}  // namespace

DirectCounts dense_lu_counts(long n) {
  return {{(n * n * n - n) / 3, n * (n - 1) * (2 * n - 1) / 6, n, 0, 0}, {n * n, n * n - n, 0, 0, 0}};
}

DirectCounts normal_cholesky_counts(const Pattern& pattern, const std::vector<int>& column_order) {
  const Pattern normal = normal_pattern(pattern);
  const Elimination factor = eliminate(normal, {column_order, column_order});
  DirectCounts counts{forming(pattern, normal), {}};
  for (int k = 0; k < factor.size(); ++k) {
    const long l = factor.upper_start[k + 1] - factor.upper_start[k];
    counts.factorisation = counts.factorisation + OperationCounts{l + l * (l + 1) / 2, l * (l + 1) / 2, 1, 1, 0};
    counts.solve = counts.solve + OperationCounts{2 * l + 2, 2 * l, 0, 0, 0};
  }
  return counts;
}

}  // namespace sparsedyn
