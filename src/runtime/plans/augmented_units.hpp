// The augmented system of a small robot in units of the robot's own.
#pragma once

#include <vector>

#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Units of rows and columns. An unknown has its natural scale, the stationarity row of an unknown the inverse. Rows of noisy
/// readings have none, as they stand beside their deviations. An exact row has the unit of the unknown that it states by a
/// coefficient ±1, which is ±1 in these units too; else that of its largest term, where that is below 1. A multiplier has the
/// inverse of its row's. All are powers of two, so that numbers in them keep their digits. All are 1 where an entry ±1 would be
/// another, as a plan's program takes it for ±1.
class AugmentedUnits {
 public:
  AugmentedUnits(const System& system, const Augmented& augmented);

  /// Whether every unit is 1, as for robots that are not small.
  bool none() const noexcept { return none_; }
  /// Takes the units of exact rows that state no unknown by ±1 from this matrix. No heap.
  void read(const double* matrix) noexcept;
  /// The matrix and its right-hand side in these units, after read(matrix). No heap.
  void apply(double* matrix, double* right_side) const noexcept;
  /// The largest entry of the matrix in these units, after read(matrix).
  double largest(const double* matrix) const noexcept;

  const std::vector<double>& rows() const noexcept { return row_; }
  const std::vector<double>& columns() const noexcept { return column_; }

 private:
  const Pattern& pattern_;
  std::vector<double> row_, column_;
  std::vector<int> by_largest_;  // rows whose unit read() takes
  int unknowns_;
  bool none_;
};

}  // namespace sparsedyn
