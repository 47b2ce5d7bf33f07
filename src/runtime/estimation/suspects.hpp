// Readings that disagree with what the others predict, and samples without them (Baarda 1968).
#pragma once

#include <vector>

#include "runtime/estimation/chi_square_test.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/estimation/reading_offsets.hpp"
#include "runtime/estimation/sample_solver.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// Of a solver's last solution.
class Suspects {
 public:
  /// All must outlive it.
  Suspects(SampleSolver& solver, ReadingOffsets& offsets, Deviations& deviations, const ChiSquareTest& test);

  /// As Estimator says: a solve, unless the RowSpread of the rows was found.
  AgainstOthers against_others(int row) noexcept;
  /// Finds the RowSpread of every row: by a sweep where the order has one, else by a solve each.
  void compare() noexcept;
  /// The row whose innovation is the largest, or −1.
  int largest() noexcept;
  /// Leaves out the reading of the largest innovation, then the next, until the sample that is left is no outlier. `left`: of
  /// the whole sample.
  void leave_out(EstimateStatus left) noexcept;
  void forget() noexcept { rows_.clear(); }
  /// Those left out, the most suspicious first.
  const std::vector<int>& rows() const noexcept { return rows_; }

 private:
  SampleSolver& solver_;
  ReadingOffsets& offsets_;
  Deviations& deviations_;
  const ChiSquareTest& test_;
  std::vector<int> rows_;
};

}  // namespace sparsedyn
