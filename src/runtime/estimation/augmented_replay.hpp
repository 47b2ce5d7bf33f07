// Solves a sample's least-squares problem under one order: filled, factored, solved, refined, and judged.
#pragma once

#include <memory>
#include <vector>

#include "runtime/estimation/planned_order.hpp"
#include "runtime/estimation/reading_weights.hpp"
#include "runtime/estimation/sample.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/system/detail/negligible_sizes.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"

namespace sparsedyn {

/// Whether factors are to be looked at before a sweep is trusted to have kept its digits. componentwise: of the first solution.
inline bool sweeps_doubtfully(double componentwise, double growth) noexcept {
  return !(componentwise <= 1e-13 && growth <= 100);
}

class AugmentedReplay {
 public:
  /// The system must outlive it. tolerance: of both backward errors.
  AugmentedReplay(const System& system, double tolerance);

  /// Weighs the rows and puts numbers into the order's LU.
  void fill(PlannedOrder& order, const EstimatorSample& sample, ReadingWeights& weights) const noexcept;
  /// sample.solution, and how good it is. refined: grows by the steps of refinement.
  SolverStatus solve(PlannedOrder& order, EstimatorSample& sample, ReadingWeights& weights, long& refined) noexcept;
  /// Whether the matrix of the last solve is singular to working precision. One or two solves.
  bool singular(PlannedOrder& order) noexcept;
  /// Answers of that matrix need so many steps of refinement, as singular() saw; 1 before.
  int refinements() const noexcept { return refinements_; }
  void forget_refinements() noexcept { refinements_ = 1; }
  /// Within the tolerance.
  bool accurate(const SolverStatus& status) const noexcept;

 private:
  bool settles(ZeroFillLU<double>& lu, std::vector<double>& x, SolverStatus& status) noexcept;
  int vanishing_pivot(PlannedOrder& order, const EstimatorSample& sample, const ReadingWeights& weights) noexcept;

  const System& system_;
  double tolerance_;
  RoundingProbe probe_;
  std::vector<double> question_, response_;      // of the augmented system
  std::unique_ptr<NegligibleSizes> negligible_;  // as in Solver
  int refinements_ = 1;
};

}  // namespace sparsedyn
