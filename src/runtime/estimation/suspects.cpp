#include "runtime/estimation/suspects.hpp"

#include <cmath>
#include <limits>

namespace sparsedyn {

Suspects::Suspects(SampleSolver& solver, ReadingOffsets& offsets, Deviations& deviations, const ChiSquareTest& test)
    : solver_(solver), offsets_(offsets), deviations_(deviations), test_(test) {
  rows_.reserve(Estimator::most_suspects);
}

AgainstOthers Suspects::against_others(int row) noexcept {
  const AgainstOthers nothing{0, std::numeric_limits<double>::infinity()};
  const ReadingWeights& weights = solver_.weights();
  if (!solver_.order() || row < 0 || row >= solver_.rows() || weights[row] == 0) return nothing;
  const double share = weights.shares()[row], residual = solver_.residuals()[row];
  if (solver_.sample().rows_found) return sparsedyn::against_others(solver_.sample().rows[row], residual, share);
  const double* response = solver_.response_to(row);
  if (!response) return nothing;
  response += solver_.unknowns();
  offsets_.follow(weights, [&](std::size_t k) { return response[offsets_.row(k)]; });
  const double v = response[row];
  return sparsedyn::against_others({v, variance_of_residual(v, share, offsets_)}, residual, share);
}

void Suspects::compare() noexcept {
  solver_.lu();  // of a batch: not yet
  deviations_.find(solver_.sample(), *solver_.order(), solver_.refinements(), solver_.weights(), offsets_, {false, true});
}

/// Readings that check each other alone have the same innovation, but for rounding: the first of them is taken.
int Suspects::largest() noexcept {
  constexpr double alike = 1e-8;
  if (!solver_.order()) return -1;
  if (!solver_.sample().rows_found) compare();
  int worst = -1;
  double most = 0;
  for (int r = 0; r < solver_.rows(); ++r) {
    if (solver_.weights()[r] == 0) continue;
    const AgainstOthers reading = against_others(r);
    const double innovation = std::abs(reading.difference) / reading.deviation;
    if (innovation > most * (1 + alike)) most = innovation, worst = r;
  }
  return worst;
}

void Suspects::leave_out(EstimateStatus left) noexcept {
  EstimatorSample& sample = solver_.sample();
  while (left.outlier && rows_.size() < Estimator::most_suspects) {
    const int row = largest();
    if (row < 0) return;
    PlannedOrder& before = *solver_.order();
    sample.missing[row] = 1, ++sample.gaps;
    static_cast<SolverStatus&>(left) = solver_.solve_again();
    if (!left.ok() || solver_.singular()) {
      sample.missing[row] = 0, --sample.gaps;
      solver_.return_to(before);
      return;
    }
    rows_.push_back(row);
    test_.judge(solver_, left);
  }
}

}  // namespace sparsedyn
