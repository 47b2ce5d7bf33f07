#include "runtime/estimation/estimator_parts.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include "determinacy/held_exactly.hpp"
#include "runtime/arguments.hpp"
#include "runtime/spread/certified_sweep.hpp"

namespace sparsedyn {
namespace {

/// Throws std::invalid_argument where the plan is another system's.
std::shared_ptr<const EstimatorPlan> fitting(std::shared_ptr<const EstimatorPlan> plan, const System& system) {
  const Augmented& augmented = there(plan, "plan")->augmented;
  if (augmented.equations() != system.pattern().rows || augmented.unknowns() != system.pattern().columns)
    throw std::invalid_argument("the plan is not one for this system");
  return plan;
}

bool has_deviations_of_state(const System& system, const EstimatorOptions& options) {
  return (options.standard_deviations || !options.covariances.empty()) && !system.position_sigma().empty();
}

}  // namespace

Estimator::Parts::Parts(std::shared_ptr<const System> of, const std::shared_ptr<const EstimatorPlan>& plan,
                        const EstimatorOptions& options)
    : system(of_robot(std::move(of))),
      outputs(*system, options.outputs),
      weights(*system),
      swept_pairs(options.covariances, outputs),
      solver(*system, fitting(plan, *system), options.tolerance, {options.close_gaps, options.replan}, weights, counts.refined,
             OrderUses{options.derivatives || has_deviations_of_state(*system, options), &outputs, held_exactly(*system),
                       Spread{options.standard_deviations, options.innovations}, options.comparisons, swept_pairs.columns}),
      own(*system, plan->augmented, outputs.columns().size(), swept_pairs.columns.size()),
      test(options.false_alarm, plan->regularisation.redundancy),
      deviations(outputs, system->pattern().columns, system->pattern().rows, options.in_batches ? Batch::lanes : 1),
      suspects(solver, offsets, deviations, test),
      gate(options.gate && !(options.huber > 0)),
      compares(options.comparisons),
      spread{options.standard_deviations, options.innovations},
      covariances(options.covariances.empty()
                      ? nullptr
                      : std::make_unique<Covariances>(*system, options.covariances, true, options.tolerance)),
      tolerance(options.tolerance),
      state_deviates(options.standard_deviations && has_deviations_of_state(*system, options)),
      determined(outputs.columns().size(), 1) {
  solver.begin(own);
  if (options.huber > 0) huber.emplace(options.huber, system->pattern().rows);
  if (covariances) covariances->expect_sweeps(swept_pairs.place);
  if (options.in_batches)
    batch.emplace(*system, *plan, outputs.columns().size(), swept_pairs.columns.size(), solver.own_order().cells());
  if (options.derivatives || state_deviates)
    derivatives = std::make_unique<EstimatorDerivatives>(*system, outputs, options.tolerance, state_deviates);
  PlannedOrder& order = solver.own_order();
  const auto keeps_digits = [&](Spread wanted) {
    return try_sweep(*system, order, outputs, wanted, steady_for_all_states).within(steady_for_all_states);
  };
  order.spread.certified = spread.any() && keeps_digits(spread);
  order.rows.certified = order.rows.plan && keeps_digits({false, true});
}

EstimateStatus Estimator::Parts::answer(EstimatorSample& sample, double* out) noexcept {
  answered = false;
  solver.begin(sample);
  EstimateStatus status;
  static_cast<SolverStatus&>(status) = solver.solve();
  if (status.ok()) {
    test.judge(solver, status);
    remedy_outliers(status);
  }
  status.missing = sample.gaps;
  if (status.ok()) find_spread();
  return finish(status, out);
}

EstimateStatus Estimator::Parts::take(int k, double* out) noexcept {
  if (!batch->done(k)) return answer(batch->sample(k), out);
  answered = false;
  solver.begin(batch->sample(k));
  solver.adopt();
  EstimateStatus status;
  static_cast<SolverStatus&>(status) = batch->status(k);
  test.judge(solver, status);
  remedy_outliers(status);
  if (status.ok()) find_spread();
  return finish(status, out);
}

void Estimator::Parts::remedy_outliers(EstimateStatus& status) noexcept {
  suspects.forget();
  if (huber && huber->is_needed(solver)) huber->find(solver, status);
  if (!gate || !status.outlier) return;
  compare_in_lanes();
  EstimatorSample& sample = solver.sample();
  const int gaps = sample.gaps;
  suspects.leave_out(status);
  sample.gaps = gaps;
  status.reweighted = static_cast<int>(suspects.rows().size());
}

/// What prepare() did not find.
void Estimator::Parts::find_spread() noexcept {
  const EstimatorSample& sample = solver.sample();
  Spread wanted = wanted_spread();
  wanted.of_outputs = wanted.of_outputs && !sample.outputs_found;
  wanted.of_rows = wanted.of_rows && !sample.rows_found;
  if (!wanted.any()) return;
  solver.lu();  // of a batch: not yet
  deviations.find(solver.sample(), *solver.order(), solver.refinements(), weights, offsets, wanted);
}

void Estimator::Parts::find_in_lanes(Spread wanted) noexcept {
  LUInLanes& lu = batch->lu(solver.plan(), weights);
  if (!deviations.find(&batch->sample(0), lu, solver.own_order().sweep_for(wanted), weights, offsets, wanted)) batch->use_up();
}

void Estimator::Parts::compare_in_lanes() noexcept {
  const EstimatorSample& sample = solver.sample();
  if (!compares || !sample.in_lane || sample.rows_found) return;
  find_in_lanes({false, true});
  if (!sample.rows_found) suspects.compare();
}

void Estimator::Parts::expect_comparisons(int readings) noexcept {
  if (!solver.order()) return;
  compare_in_lanes();
  if (!compares || solver.sample().rows_found) return;
  const PlannedOrder& order = *solver.order();
  const SpreadPlan* sweep = solver.order()->sweep_for({false, true}).plan.get();
  if (sweep && static_cast<long>(readings) * order.lu.plan().solve_flops().total() > sweep->flops().total()) suspects.compare();
}

/// Counts the sample and, where it is ok, writes its outputs.
EstimateStatus Estimator::Parts::finish(const EstimateStatus& status, double* out) noexcept {
  if (!status.ok()) {
    ++counts.failed;
    return status;
  }
  answered = true;
  ++counts.solved;
  EstimatorSample& sample = solver.sample();
  if (state_deviates && !sample.state_entered) {
    sample.state_entered = true;
    derivatives->at(solver);
    derivatives->add_state_deviations(sample.deviations);
  }
  if (covariances) covariances->find(solver, offsets);
  if (spread.of_rows) write_innovations(sample, weights);
  outputs.write(sample.solution.data(), sample.y.data(), sample.work, out);
  const std::vector<char>& open = solver.order()->regularisation().undetermined;
  for (std::size_t c = 0; c < determined.size(); ++c) {
    determined[c] = !(wanted_spread().of_outputs && sample.follows_open_offset[c]);
    for (int u : outputs.unknowns_of(static_cast<int>(c)))
      if (open[u]) determined[c] = 0;
    if (!determined[c]) out[c] = sample.deviations[c] = std::numeric_limits<double>::quiet_NaN();
  }
  return status;
}

bool Estimator::Parts::prepare_derivatives() noexcept {
  if (!derivatives || !answered || !solver.order()) return false;
  derivatives->at(solver);
  return true;
}

}  // namespace sparsedyn
