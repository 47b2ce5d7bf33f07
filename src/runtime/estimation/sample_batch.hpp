// Samples of a log that are computed together, each in a lane of the processor's vectors.
#pragma once

#include <array>
#include <vector>

#include "runtime/estimation/augmented_replay.hpp"
#include "runtime/estimation/reading_weights.hpp"
#include "runtime/estimation/sample.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"

namespace sparsedyn {

class SampleBatch {
 public:
  /// outputs, pairs: as EstimatorSample takes them. cells: as LUInLanes takes them. The system must outlive it.
  SampleBatch(const System& system, const EstimatorPlan& plan, std::size_t outputs, std::size_t pairs, int cells);

  /// The k-th of the samples that come next, to be read into, and how many these are.
  /// @{
  EstimatorSample& sample(int k) noexcept { return samples_[static_cast<std::size_t>(k)]; }
  void begin(int count) noexcept;
  /// @}
  /// Solves those without gaps by the plan's order, where there are enough of them; all readings count fully. False where
  /// nothing was computed. refined: grows by the steps of refinement.
  bool solve(const EstimatorPlan& plan, const AugmentedReplay& replay, ReadingWeights& weights, long& refined) noexcept;
  /// The factors of all. Whoever uses them up says so, and they are computed again.
  /// @{
  LUInLanes& lu(const EstimatorPlan& plan, const ReadingWeights& weights) noexcept;
  void use_up() noexcept { factored_ = false; }
  /// @}

  int count() const noexcept { return count_; }
  /// Whether nothing is left to be computed of the k-th, and what was found of it then.
  /// @{
  bool done(int k) const noexcept { return done_[static_cast<std::size_t>(k)] != 0; }
  const SolverStatus& status(int k) const noexcept { return status_[static_cast<std::size_t>(k)]; }
  /// @}

 private:
  void judge(const AugmentedReplay& replay) noexcept;
  void factor(const EstimatorPlan& plan, const ReadingWeights& weights) noexcept;

  LUInLanes lu_;
  bool alone_;  // small pivots do not tell which samples are to be looked at: all are
  double least_pivot_;
  int count_ = 0;
  bool factored_ = false;                                        // what lu_ holds
  std::array<const EstimatorSample*, Batch::lanes> lanes_{};     // where each lane's numbers come from
  std::vector<EstimatorSample> samples_;                         // a lane each
  std::vector<SolverStatus> status_;                             // likewise
  std::vector<char> done_;                                       // likewise
  std::vector<Batch> values_, right_side_, weight_, precision_;  // as Augmented::fill takes them
};

}  // namespace sparsedyn
