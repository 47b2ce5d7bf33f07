#include "runtime/estimation/sample_batch.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

/// From here on a batch costs less than its samples do one by one.
constexpr int worth_a_batch = 4;
/// Several pivots of that size together leave no digit where M(q) is summed: such a sample is looked at alone.
constexpr double doubtful_in_joint_space = 1e-5;

}  // namespace

SampleBatch::SampleBatch(const System& system, const EstimatorPlan& plan, std::size_t outputs, std::size_t pairs, int cells)
    : lu_(plan.plan, widest_vectors(), cells),
      alone_(system.sums_inertias() && !system.formulation().joint_space),
      least_pivot_(system.formulation().joint_space ? doubtful_in_joint_space : ZeroFillLU<double>::doubtful_pivot),
      samples_(Batch::lanes, EstimatorSample(system, plan.augmented, outputs, pairs)),
      status_(Batch::lanes),
      done_(Batch::lanes, 0),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      weight_(system.pattern().rows) {
  for (double p : plan.regularisation.precision) precision_.emplace_back(p);
}

void SampleBatch::begin(int count) noexcept {
  count_ = count;
  std::fill(done_.begin(), done_.end(), char(0));
}

bool SampleBatch::solve(const EstimatorPlan& plan, const AugmentedReplay& replay, ReadingWeights& weights,
                        long& refined) noexcept {
  const EstimatorSample* whole = nullptr;
  lanes_ = {};
  int wholes = 0;
  for (int k = 0; k < count_; ++k)
    if (samples_[k].gaps == 0) lanes_[k] = whole = &samples_[k], ++wholes;
  if (alone_ || wholes < worth_a_batch) return false;
  for (const EstimatorSample*& lane : lanes_)
    if (!lane) lane = whole;
  weights.count_all_fully();
  weights.weigh(whole->missing, plan.left_out, plan.augmented);
  factor(plan, weights);
  lu_.solve();
  judge(replay);
  for (int k = 0; k < count_; ++k)
    samples_[k].doubtful = !weights.as_stated() || sweeps_doubtfully(status_[k].componentwise_error, status_[k].growth);
  std::array<bool, Batch::lanes> again{};
  for (int k = 0; k < count_; ++k) again[k] = samples_[k].gaps == 0 && lu_.ok(k) && !done_[k] && !replay.accurate(status_[k]);
  if (std::find(again.begin(), again.end(), true) != again.end()) {
    lu_.refine(again);
    judge(replay);
    for (int k = 0; k < count_; ++k) refined += again[k] && done_[k];
  }
  for (int k = 0; k < Batch::lanes; ++k) {
    samples_[k].in_lane = k < count_ && done_[k];
    samples_[k].doubtful = samples_[k].in_lane && samples_[k].doubtful;
  }
  for (std::size_t j = 0; j < whole->solution.size(); ++j)
    for (int k = 0; k < Batch::lanes; ++k) samples_[k].solution[j] = lu_.solution()[j].lane[k];
  return true;
}

/// Which lanes need nothing more.
void SampleBatch::judge(const AugmentedReplay& replay) noexcept {
  const LaneHealth health = lu_.health();
  for (int k = 0; k < count_; ++k) {
    SolverStatus& status = status_[k] = {};
    status.growth = health.growth.lane[k];
    status.backward_error = health.backward_error.lane[k];
    status.componentwise_error = health.componentwise_error.lane[k];
    done_[k] = samples_[k].gaps == 0 && lu_.ok(k) && replay.accurate(status) && std::isfinite(status.growth) &&
               !(health.least_pivot.lane[k] < least_pivot_);
  }
}

LUInLanes& SampleBatch::lu(const EstimatorPlan& plan, const ReadingWeights& weights) noexcept {
  if (!factored_) factor(plan, weights);
  return lu_;
}

void SampleBatch::factor(const EstimatorPlan& plan, const ReadingWeights& weights) noexcept {
  const auto transpose = [&](std::vector<double> EstimatorSample::*part, std::vector<Batch>& batches) {
    std::array<const double*, Batch::lanes> from;
    for (int k = 0; k < Batch::lanes; ++k) from[k] = (lanes_[k]->*part).data();
    for (std::size_t e = 0; e < batches.size(); ++e)
      for (int k = 0; k < Batch::lanes; ++k) batches[e].lane[k] = from[k][e];
  };
  transpose(&EstimatorSample::values, values_);
  transpose(&EstimatorSample::right_side, right_side_);
  for (int r = 0; r < weights.rows(); ++r) weight_[r] = Batch(weights[r]);
  plan.augmented.fill(values_.data(), right_side_.data(), weight_.data(), precision_.data(), lu_.values(), lu_.right_side());
  lu_.factor();
  factored_ = true;
}

}  // namespace sparsedyn
