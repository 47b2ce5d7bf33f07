// How far estimates may be off, and how much residuals vary, of one sample or of a batch: by the sweep of a SpreadPlan, or by
// what the augmented system answers to unit right-hand sides, a solve for each.
//
// A sweep has no residual that could be looked at. Therefore it is done again with the matrix in other units and moved by
// roundings, unless the factors are known to be good (EstimatorSample::doubtful, PlannedSweep::certified). Where that moves any
// variance by more than 1e-10 of itself, all of the sample's come from solves, which are refined.
#pragma once

#include <vector>

#include "runtime/estimation/planned_order.hpp"
#include "runtime/estimation/reading_offsets.hpp"
#include "runtime/estimation/reading_weights.hpp"
#include "runtime/estimation/sample.hpp"
#include "runtime/spread/spread_plan.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// The variance of (y − Y x)/σ where the weighted residual ν = share (y − Y x)/σ answers to its own unit measurement with v =
/// (1 − H)_ii, H = W Y C Yᵀ W. With h = (1 − v)/share² it is v (v + h), less what went into the offsets that `offsets` follows.
double variance_of_residual(double v, double share, const ReadingOffsets& offsets) noexcept;
/// Whether other rows predict the measurement at all.
bool is_checked(const RowSpread& row) noexcept;
/// The reading beside its prediction from all others, of its weighted residual: (y − Y x)/σ = residual/share over v, and the
/// deviation of that.
AgainstOthers against_others(const RowSpread& row, double residual, double share) noexcept;
/// (y − Y x)/σ over its own deviation, of each row that others predict.
void write_innovations(EstimatorSample& sample, const ReadingWeights& weights) noexcept;

/// How samples got their deviations.
struct SpreadCounts {
  long swept = 0;    // by a sweep
  long checked = 0;  // where that was done twice
  long solved = 0;   // by solves, though a sweep was planned
};

/// By which a variance may move where entries move by roundings, beside itself.
constexpr double steady = 1e-10;
/// The same of variances at a few states that are to stand for all: of sets in common units they move by 1e-14 to 1e-13. Where
/// they move by more, other states may lose thousands of times as much, and each sample is looked at.
constexpr double steady_for_all_states = 1e-12;

class Deviations {
 public:
  /// unknowns, rows: of the system. samples: 1, or Batch::lanes. The outputs must outlive it.
  Deviations(const Outputs& outputs, int unknowns, int rows, int samples = 1);

  /// Takes the memory for so many offsets. Allocates.
  void reserve(std::size_t offsets);
  /// Raises moved[k] to what the k-th of EstimatorSample::variances moves by, beside itself, where a sample that the order has
  /// factored is swept again: infinite where a variance is negative. Where sweeps kept their digits at many states, with the
  /// readings weighed as the set states it (PlannedSweep::certified), doubtful samples alone are looked at.
  void note_movements(EstimatorSample& sample, PlannedOrder& order, const ReadingWeights& weights, Spread wanted,
                      std::vector<double>& moved) noexcept;

  /// Of a sample by the factors of the order; answers of these are refined so often. No heap.
  void find(EstimatorSample& sample, PlannedOrder& order, int refinements, const ReadingWeights& weights,
            ReadingOffsets& offsets, Spread wanted) noexcept;
  /// Of those of Batch::lanes samples that lie in their lanes (EstimatorSample::in_lane), by a sweep or by solves. Those whose
  /// sweep is not good enough are left without (outputs_found, rows_found). False where the factors are used up. No heap.
  bool find(EstimatorSample* samples, LUInLanes& lu, const PlannedSweep& planned, const ReadingWeights& weights,
            ReadingOffsets& offsets, Spread wanted) noexcept;

  const SpreadCounts& counts() const noexcept { return counts_; }

 private:
  template <class Systems>
  void of_outputs(Systems& systems, EstimatorSample* samples, const SpreadPlan* swept, const ReadingWeights& weights,
                  ReadingOffsets& offsets) noexcept;
  template <class Systems>
  void of_rows(Systems& systems, EstimatorSample* samples, const SpreadPlan* swept, const ReadingWeights& weights,
               ReadingOffsets& offsets) noexcept;
  template <class Systems>
  void answer_offsets(Systems& systems, const ReadingOffsets& offsets) noexcept;
  void read_gradient(int c, const EstimatorSample& sample, int rows, const double* unit, std::vector<double>& into) noexcept;
  template <class Cell, class Found>
  void for_variances(const SpreadPlan& plan, EstimatorSample& sample, const ReadingWeights& weights, const double* unit,
                     Cell cell, Found found) noexcept;
  template <class Cell, class Moved>
  void for_movements(const SpreadPlan& plan, EstimatorSample& sample, const ReadingWeights& weights, const MovedEntries& moves,
                     Cell cell, Moved moved) noexcept;
  template <class Cell>
  bool agrees(const SpreadPlan& plan, EstimatorSample& sample, const ReadingWeights& weights, const MovedEntries& moves,
              Cell cell) noexcept;
  void sweep(EstimatorSample& sample, PlannedOrder& order, const SpreadPlan& plan, const ReadingWeights& weights) noexcept;
  template <class Look>
  void sweep_again(PlannedOrder& order, const SpreadPlan& plan, Look look) noexcept;
  bool keeps_digits(EstimatorSample& sample, PlannedOrder& order, const SpreadPlan& plan,
                    const ReadingWeights& weights) noexcept;
  const SpreadPlan* worth_sweeping(const SpreadPlan* plan, const ReadingOffsets& offsets) const noexcept;
  double answer_of_offset(std::size_t offset, int sample, int column) const noexcept;

  const Outputs& outputs_;
  int samples_;
  SpreadCounts counts_;
  std::vector<double> zero_, gradient_, second_;  // of the unknowns
  std::vector<double> response_;                  // of the augmented system
  std::vector<double> of_offsets_;                // responses to units in the offsets' rows, sample by sample
};

}  // namespace sparsedyn
