// Samples of a log computed together.
#include <algorithm>
#include <cmath>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {
namespace {

/// From here on a batch costs less than its samples do one by one.
constexpr int worth_a_batch = 4;

}  // namespace

Estimator::Prepared::Prepared(const System& system, const EstimatorPlan& plan, std::size_t outputs)
    : lu(plan.plan),
      samples(Batch::lanes, Sample(system, plan.augmented, outputs)),
      status(Batch::lanes),
      done(Batch::lanes, 0),
      values(system.pattern().entries()),
      right_side(system.pattern().rows),
      weight(system.pattern().rows) {
  for (double p : plan.precision) precision.emplace_back(p);
}

void Estimator::prepare(const Inputs* samples, int count) noexcept {
  if (!prepared_) return;
  Prepared& all = *prepared_;
  all.count = count = std::min<int>(count, Batch::lanes);
  std::fill(all.done.begin(), all.done.end(), char(0));
  std::array<const Sample*, Batch::lanes> lanes{};
  int whole = 0;
  for (int k = 0; k < count; ++k) {
    read(all.samples[k], samples[k].q, samples[k].v, samples[k].y);
    if (all.samples[k].gaps > 0) continue;
    lanes[k] = sample_ = &all.samples[k];
    ++whole;
  }
  if (whole < worth_a_batch) return;
  count_all_fully();
  for (const Sample*& lane : lanes)
    if (!lane) lane = sample_;  // one that is whole
  fill_lanes(lanes);
  all.lu.factor();
  all.lu.solve();
  judge_lanes(count);
  std::array<bool, Batch::lanes> refined{};
  for (int k = 0; k < count; ++k)
    refined[k] = all.samples[k].gaps == 0 && all.lu.ok(k) && !all.done[k] && !accurate(all.status[k]);
  if (std::find(refined.begin(), refined.end(), true) != refined.end()) {
    all.lu.refine(refined);
    judge_lanes(count);
    for (int k = 0; k < count; ++k) counts_.refined += refined[k] && all.done[k];
  }
  for (std::size_t j = 0; j < own_.solution.size(); ++j)
    for (int k = 0; k < Batch::lanes; ++k) all.samples[k].solution[j] = all.lu.solution()[j].lane[k];
  find_spread_together();
}

/// Which lanes need nothing more.
void Estimator::judge_lanes(int count) noexcept {
  Prepared& all = *prepared_;
  const LaneHealth health = all.lu.health();
  // several pivots of 1e-5 together leave no digit where M(q) is summed: such a sample is looked at alone
  const double least = system_->formulation().joint_space ? 1e-5 : ZeroFillLU<double>::doubtful_pivot;
  for (int k = 0; k < count; ++k) {
    EstimateStatus& status = all.status[k] = {};
    status.growth = health.growth.lane[k];
    status.backward_error = health.backward_error.lane[k];
    status.componentwise_error = health.componentwise_error.lane[k];
    all.done[k] = all.samples[k].gaps == 0 && all.lu.ok(k) && accurate(status) && std::isfinite(status.growth) &&
                  !(health.least_pivot.lane[k] < least);
  }
}

void Estimator::fill_lanes(const std::array<const Sample*, Batch::lanes>& lanes) noexcept {
  Prepared& all = *prepared_;
  weigh(*main_->plan);
  const auto transpose = [&](std::vector<double> Sample::*part, std::vector<Batch>& batches) {
    std::array<const double*, Batch::lanes> from;
    for (int k = 0; k < Batch::lanes; ++k) from[k] = (lanes[k]->*part).data();
    for (std::size_t e = 0; e < batches.size(); ++e)
      for (int k = 0; k < Batch::lanes; ++k) batches[e].lane[k] = from[k][e];
  };
  transpose(&Sample::values, all.values);
  transpose(&Sample::right_side, all.right_side);
  for (std::size_t r = 0; r < weight_.size(); ++r) all.weight[r] = Batch(weight_[r]);
  main_->plan->augmented.fill(all.values.data(), all.right_side.data(), all.weight.data(), all.precision.data(),
                              all.lu.values(), all.lu.right_side());
}

EstimateStatus Estimator::take(int k, double* out) noexcept {
  if (!prepared_ || k < 0 || k >= prepared_->count) {
    EstimateStatus none;
    none.state = LUState::no_sample;
    return none;
  }
  Sample& sample = prepared_->samples[k];
  if (!prepared_->done[k]) return answer(sample, out);
  begin_sample(sample);
  last_ = main_.get(), factored_ = false;
  weigh(*main_->plan);
  EstimateStatus status = prepared_->status[k];
  judge(*main_, status);
  if (remedy_outliers(status) && status.ok()) find_spread();
  answered_ = status.ok();
  if (answered_) add_state_deviations();
  if (status.ok())
    finish(*last_, out);
  else
    ++counts_.failed;
  return status;
}

}  // namespace sparsedyn
