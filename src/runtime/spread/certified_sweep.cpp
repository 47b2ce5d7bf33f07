#include "runtime/spread/certified_sweep.hpp"

#include <algorithm>
#include <memory>

#include "determinacy/held_exactly.hpp"
#include "runtime/estimation/augmented_replay.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/system_samples.hpp"

namespace sparsedyn {

namespace {

constexpr double tolerance = 1e-12;  // nothing is solved

/// A sweep that is run at one state after the other.
class Trial {
 public:
  /// The sweep for what is wanted, which the order has planned.
  Trial(const System& system, PlannedOrder& order, const Outputs& outputs, Spread wanted, const SpreadPlan& sweep)
      : system_(system),
        order_(order),
        wanted_(wanted),
        replay_(system, tolerance),
        weights_(system),
        sample_(system, order.plan->augmented, outputs.columns().size(), sweep.pairs().size()),
        deviations_(outputs, system.pattern().columns, system.pattern().rows),
        v_(sample_.v.size(), 0.0),
        y_(sample_.y.size(), 0.0) {
    found_.moved.assign(sample_.variances.size(), 0.0);
  }

  /// Notes what moves at q where the order has factors, `soundly`: where factors and estimates keep some digits.
  void try_at(const std::vector<double>& q, bool soundly) {
    constexpr double lost = 1e12;
    sample_.read(system_, order_.plan->augmented, {}, q.data(), v_.data(), y_.data());
    replay_.fill(order_, sample_, weights_);
    if (!order_.lu.factor().ok() || (soundly && !(order_.lu.growth() < lost))) return;
    ++found_.states;
    deviations_.note_movements(sample_, order_, weights_, wanted_, found_.moved);
  }
  double most() const { return *std::max_element(found_.moved.begin(), found_.moved.end()); }
  const SweepTrial& found() const { return found_; }

 private:
  const System& system_;
  PlannedOrder& order_;
  Spread wanted_;
  AugmentedReplay replay_;
  ReadingWeights weights_;
  EstimatorSample sample_;
  Deviations deviations_;
  std::vector<double> v_, y_;
  SweepTrial found_;
};

}  // namespace

bool SweepTrial::within(double most) const noexcept {
  constexpr int enough = 4;
  return states >= enough && std::all_of(moved.begin(), moved.end(), [&](double by) { return by <= most; });
}

bool SweepTrial::stands_for_all() const noexcept {
  constexpr int enough = 32;
  return states >= enough;
}

SweepTrial try_sweep_at_many(const System& system, const EstimatorPlan& plan, const Outputs& outputs, Spread wanted) {
  constexpr int random = 64;
  if (!wanted.any()) return {};
  const std::shared_ptr<const EstimatorPlan> kept(std::shared_ptr<void>(), &plan);  // for as long as this takes
  PlannedOrder order(OrderKind::plain, system, kept, plan.augmented, plan.plan,
                     {false, &outputs, held_exactly(system), wanted});
  const SpreadPlan* const sweep = order.sweep_for(wanted).plan.get();
  if (!sweep || sweep->swept() == 0) return {};
  Trial trial(system, order, outputs, wanted, *sweep);
  const Samples samples = samples_of(system, random);
  for (int s = 0; s < samples.count; ++s) trial.try_at(samples.state(s), true);
  return trial.found();
}

SweepTrial try_sweep(const System& system, PlannedOrder& order, const Outputs& outputs, Spread wanted, double most) {
  constexpr int states = 16;
  const SpreadPlan* const sweep = order.sweep_for(wanted).plan.get();
  if (!sweep || sweep->swept() == 0) return {};
  Trial trial(system, order, outputs, wanted, *sweep);
  const Samples samples = samples_of(system, states / 2);
  for (int k = 0; k < states && trial.most() <= most; ++k) trial.try_at(samples.state(state_in_turn(samples, k)), false);
  return trial.found();
}

}  // namespace sparsedyn
