// Solves samples by whichever of an estimator's orders serves: the plan's, those for gaps, or one that is made on the way.
#pragma once

#include <memory>
#include <vector>

#include "runtime/estimation/augmented_replay.hpp"
#include "runtime/estimation/order_cache.hpp"

namespace sparsedyn {

class SampleSolver {
 public:
  /// System, weights and refined, which grows by the steps of refinement, must outlive it. Throws ZeroPivot.
  SampleSolver(const System& system, std::shared_ptr<const EstimatorPlan> plan, double tolerance, OrderCache::Sources sources,
               ReadingWeights& weights, long& refined, const OrderUses& uses);

  /// The sample at hand from now on; all its readings count fully. It must outlive what follows.
  void begin(EstimatorSample& sample) noexcept;
  /// Its solution, by the plan's order or, where rows are missing, by one that they leave intact.
  SolverStatus solve() noexcept;
  /// Takes a solution that the plan's own order gave in a lane of a batch.
  void adopt() noexcept;
  /// After weights or gaps changed: by the order that loses no pivot with a reading's weight, or else by the last one.
  SolverStatus solve_again() noexcept;
  /// By that order, which served before.
  void return_to(PlannedOrder& order) noexcept;
  /// Whether the matrix of the last solution is singular to working precision.
  bool singular() noexcept { return replay_.singular(*last_); }

  /// The plan's, whatever the samples.
  PlannedOrder& own_order() const noexcept { return *main_; }
  /// Of the last solution, or null before the first.
  PlannedOrder* order() const noexcept { return last_; }
  /// The factors of the last solution, computed anew where it was computed together with others.
  ZeroFillLU<double>& lu() noexcept;
  /// What the augmented system of the last solution answers to a unit right-hand side in a row; null where that is not finite.
  const double* response_to(int row) noexcept;
  /// Likewise to units in up to Batch::lanes rows, by lane; null where no memory was taken for that (OrderUses::compares).
  const Batch* responses_to(const int* rows, int count) noexcept;
  /// The same to any right-hand side, which the caller puts into unit() first.
  const double* response() noexcept;
  double* unit() noexcept { return unit_.data(); }
  /// Steps of refinement that such answers need.
  int refinements() const noexcept { return last_->kind == OrderKind::plain ? 0 : replay_.refinements(); }

  EstimatorSample& sample() const noexcept { return *sample_; }
  ReadingWeights& weights() const noexcept { return weights_; }
  const EstimatorPlan& plan() const noexcept { return *main_->plan; }
  const AugmentedReplay& replay() const noexcept { return replay_; }
  /// The residuals of the sample at hand, a row each, weighted.
  const double* residuals() const noexcept { return sample_->solution.data() + unknowns_; }
  int unknowns() const noexcept { return unknowns_; }
  int rows() const noexcept { return weights_.rows(); }
  long replanned() const noexcept { return cache_.replanned(); }

 private:
  SolverStatus solve_by(PlannedOrder& order) noexcept;
  bool serves(PlannedOrder& order, SolverStatus& status) noexcept;
  PlannedOrder* serve_gaps(SolverStatus& status) noexcept;
  PlannedOrder* serve_without(SolverStatus& status) noexcept;

  int unknowns_;
  ReadingWeights& weights_;
  long& refined_;
  AugmentedReplay replay_;
  std::unique_ptr<PlannedOrder> main_, missing_data_, open_gaps_;
  OrderCache cache_;
  std::vector<double> unit_, response_;         // of the augmented system
  std::vector<Batch> units_, responses_;        // likewise, or none
  const PlannedOrder* block_loaded_ = nullptr;  // whose block holds the factors of the last solution
  EstimatorSample* sample_ = nullptr;
  PlannedOrder* last_ = nullptr;
  bool factored_ = false;  // the last sample is what last_->lu holds
};

}  // namespace sparsedyn
