#include "runtime/spread/certified_sweep.hpp"

#include <algorithm>
#include <memory>

#include "determinacy/held_exactly.hpp"
#include "runtime/estimation/augmented_replay.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/system_samples.hpp"

namespace sparsedyn {

bool SweepTrial::within(double most) const noexcept {
  constexpr int enough = 4;
  return states >= enough && std::all_of(moved.begin(), moved.end(), [&](double by) { return by <= most; });
}

SweepTrial try_sweep(const System& system, const EstimatorPlan& plan, const Outputs& outputs, Spread wanted, double most) {
  if (!wanted.any()) return {};
  const std::shared_ptr<const EstimatorPlan> kept(std::shared_ptr<void>(), &plan);  // for as long as this takes
  PlannedOrder order(OrderKind::plain, system, kept, plan.augmented, plan.plan,
                     {false, &outputs, held_exactly(system), wanted});
  return try_sweep(system, order, outputs, wanted, most);
}

SweepTrial try_sweep(const System& system, PlannedOrder& order, const Outputs& outputs, Spread wanted, double most) {
  constexpr int states = 16;
  constexpr double tolerance = 1e-12;  // nothing is solved
  SweepTrial trial;
  const SpreadPlan* const sweep = order.sweep_for(wanted).plan.get();
  if (!sweep || sweep->swept() == 0) return trial;
  const EstimatorPlan& plan = *order.plan;
  AugmentedReplay replay(system, tolerance);
  ReadingWeights weights(system);
  EstimatorSample sample(system, plan.augmented, outputs.columns().size(), sweep->pairs().size());
  Deviations deviations(outputs, system.pattern().columns, system.pattern().rows);
  trial.moved.assign(sample.variances.size(), 0.0);
  const Samples samples = samples_of(system, states / 2);
  const std::vector<double> v(sample.v.size(), 0.0), y(sample.y.size(), 0.0);
  for (int k = 0; k < states; ++k) {
    const std::vector<double> q = samples.state(state_in_turn(samples, k));
    sample.read(system, plan.augmented, {}, q.data(), v.data(), y.data());
    replay.fill(order, sample, weights);
    if (!order.lu.factor().ok()) continue;
    ++trial.states;
    deviations.note_movements(sample, order, weights, wanted, trial.moved);
    if (*std::max_element(trial.moved.begin(), trial.moved.end()) > most) break;
  }
  return trial;
}

}  // namespace sparsedyn
