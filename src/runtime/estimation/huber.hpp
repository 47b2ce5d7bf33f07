// Huber's estimate: residuals beyond a threshold k count in proportion, no longer squared (Huber 1964).
#pragma once

#include <vector>

#include "runtime/estimation/sample_solver.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// Minimises Σ ρ(r), ρ = r²/2 up to k and k |r| − k²/2 beyond, by weights under the same plan.
class HuberEstimate {
 public:
  /// threshold: k, in standard deviations of the reading. rows: of the system.
  HuberEstimate(double threshold, int rows);

  /// Whether a residual of the solver's solution, in which all readings count fully, lies beyond the threshold.
  bool is_needed(const SampleSolver& solver) const noexcept;
  /// Solves again until the shares of the readings have settled.
  void find(SampleSolver& solver, EstimateStatus& status) noexcept;

 private:
  int weigh_by_residuals(SampleSolver& solver, double& change) const noexcept;
  double sum(const SampleSolver& solver) const noexcept;
  bool predict_shares(SampleSolver& solver, int most) noexcept;

  double threshold_;
  std::vector<double> sure_share_, predicted_share_;  // of the residuals that are, and of those that are foreseen
};

}  // namespace sparsedyn
