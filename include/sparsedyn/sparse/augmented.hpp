// Weighted least squares with exact rows, as one square sparse system that a plan can solve.
//
//   minimise  Σ_noisy ((y_i − Y_i x) / σ_i)² + Σ_j (x_j / s_j)²   subject to  Y_e x = y_e for the exact rows
//
// With the scaled residuals ν_i = (y_i − Y_i x) / σ_i of the noisy rows, multipliers ν_e of the exact ones, and the weights
// w_i = 1/σ_i (1 for exact rows, 0 for a measurement that is missing), x is the solution of the augmented system (Björck,
// Numerical Methods for Least Squares Problems, 1996, eq. 2.7.5)
//
//   | W Y       D   | | x |   | W y |       D = 1 for noisy rows, 0 for exact ones
//   | −diag(p)  YᵀW | | ν | = |  0  |       p_j = 1 / s_j², 0 without a prior
//
// Products of Y with itself never appear in it, so its conditioning is Y's and not that of YᵀY. A missing measurement and a
// new covariance are other numbers in the same pattern: the plan stays.
#pragma once

#include <vector>

#include "sparsedyn/sparse/lu_program.hpp"

namespace sparsedyn {

/// The augmented system of a pattern. Never changes; threads share it.
class Augmented {
 public:
  /// rows: pattern of Y (m × n). exact: one flag a row. prior: one flag a column, or empty for none.
  Augmented(const Pattern& rows, std::vector<char> exact, std::vector<char> prior);

  /// (m + n) × (m + n): rows of Y first, then one stationarity row for each unknown; columns x first, then ν.
  const Pattern& pattern() const { return pattern_; }
  /// n, the columns of Y.
  int unknowns() const { return n_; }
  /// m, its rows.
  int equations() const { return m_; }
  /// Whether a row of Y holds exactly.
  bool exact(int row) const { return exact_[row] != 0; }
  /// Of the augmented rows, those of exact equations: their diagonal entry is zero.
  std::vector<char> exact_rows() const;
  /// Entries that are ±1 whatever the state and the weights; `rows`: those of Y.
  UnitEntries unit_entries(const UnitEntries& rows) const;

  /// The augmented matrix and right-hand side. values, y: of Y x = y. weight: m, of exact rows not read. precision: n, the
  /// p_j of columns with a prior, others not read. Cost: two products an entry of Y. S: double,
  /// Expr or Batch.
  template <class S>
  void fill(const S* values, const S* y, const S* weight, const S* precision, S* matrix, S* right_side) const noexcept;

 private:
  int m_, n_;
  Pattern rows_, pattern_;
  std::vector<char> exact_, prior_;
  std::vector<int> above_, below_;      // entry of Y -> its two places in the augmented matrix
  std::vector<int> unit_, prior_cell_;  // row -> its entry of D, column -> its entry −p_j; or -1
};

}  // namespace sparsedyn
