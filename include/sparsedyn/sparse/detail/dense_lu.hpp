// The last resort: dense LU with scaled partial pivoting in memory taken beforehand.
#pragma once

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

class DenseLU {
 public:
  /// Takes n² doubles. The pattern must outlive it.
  explicit DenseLU(const Pattern& pattern);

  /// P R A = L U with R scaling each row to a largest entry of 1 (values in the pattern's order). False where a pivot is not
  /// above n ε: the matrix is singular to working precision, and singular_column() tells the unknown. 2n³/3 operations.
  bool factor(const double* values) noexcept;
  /// Whether a pivot of factor() is below ZeroFillLU::doubtful_pivot.
  bool doubtful() const noexcept;
  /// Factors `moved`, the matrix at a state that differs by roundings, with the pivot rows of `values` (those of factor(),
  /// whose factors are there again afterwards). False where a pivot moves by a tenth or more: it is rounding, and
  /// singular_column() tells the unknown.
  bool withstands(const double* values, const double* moved) noexcept;
  void solve(const double* right_side, double* x) const noexcept;
  /// Aᵀ z = c.
  void solve_transposed(const double* c, double* z) noexcept;
  int singular_column() const noexcept { return singular_column_; }

 private:
  double& at(int r, int c) { return entries_[static_cast<std::size_t>(r) * n_ + c]; }
  double at(int r, int c) const { return entries_[static_cast<std::size_t>(r) * n_ + c]; }
  void scatter(const double* values) noexcept;
  void choose_pivot_row(int k) noexcept;
  void eliminate(int k) noexcept;

  const Pattern& pattern_;
  const int n_;
  int singular_column_ = -1;
  std::vector<double> entries_;  // n × n, row by row
  std::vector<double> scale_;    // n: R
  std::vector<int> row_;         // n: row_[k] is the k-th pivot row
  std::vector<double> pivot_;    // n: for withstands and solve_transposed
};

}  // namespace sparsedyn
