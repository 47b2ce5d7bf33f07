// Whether a sample's residuals are what the noise explains.
#pragma once

#include <vector>

#include "runtime/estimation/sample_solver.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

class ChiSquareTest {
 public:
  /// false_alarm: of a sample whose noise is what the set says. most: the largest redundancy.
  ChiSquareTest(double false_alarm, int most);

  /// Chi-square, redundancy and outlier of the last solution.
  void judge(const SampleSolver& solver, EstimateStatus& status) const noexcept;
  /// Whether a chi-square of so many redundant rows lies above its quantile.
  bool is_outlier(double chi_square, int redundancy) const noexcept;

 private:
  std::vector<double> quantile_;  // by redundancy
};

}  // namespace sparsedyn
