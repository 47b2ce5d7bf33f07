#include "runtime/estimation/chi_square_test.hpp"

#include <algorithm>

#include "runtime/chi_square.hpp"

namespace sparsedyn {

ChiSquareTest::ChiSquareTest(double false_alarm, int most) {
  for (int k = 0; k <= most; ++k) quantile_.push_back(chi_square_quantile(false_alarm, k));
}

void ChiSquareTest::judge(const SampleSolver& solver, EstimateStatus& status) const noexcept {
  const PlannedOrder& order = *solver.order();
  const ReadingWeights& weights = solver.weights();
  const double* residuals = solver.residuals();
  status.chi_square = 0;
  status.redundancy = order.regularisation().redundancy;
  for (int r = 0; r < solver.rows(); ++r) {
    if (order.augmented.exact(r)) continue;
    const double residual = weights[r] == 0 ? 0.0 : residuals[r] / weights.shares()[r];
    status.chi_square += residual * residual;
    if (solver.sample().missing[r] && !order.plan->left_out[r]) --status.redundancy;
  }
  status.outlier = is_outlier(status.chi_square, status.redundancy);
}

bool ChiSquareTest::is_outlier(double chi_square, int redundancy) const noexcept {
  const int freedoms = std::min<int>(redundancy, static_cast<int>(quantile_.size()) - 1);
  return freedoms > 0 && chi_square > quantile_[freedoms];
}

}  // namespace sparsedyn
