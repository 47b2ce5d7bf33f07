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
  return options.standard_deviations && !system.position_sigma().empty();
}

}  // namespace

Estimator::Parts::Parts(std::shared_ptr<const System> of, const std::shared_ptr<const EstimatorPlan>& plan,
                        const EstimatorOptions& options)
    : system(there(std::move(of), "system")),
      outputs(*system, options.outputs),
      weights(*system),
      solver(*system, fitting(plan, *system), options.tolerance, {options.close_gaps, options.replan}, weights, counts.refined,
             OrderUses{options.derivatives || has_deviations_of_state(*system, options), &outputs, held_exactly(*system),
                       Spread{options.standard_deviations, options.innovations}}),
      own(*system, plan->augmented, outputs.columns().size()),
      test(options.false_alarm, plan->regularisation.redundancy),
      suspects(solver, offsets, test),
      gate(options.gate && !(options.huber > 0)),
      spread{options.standard_deviations, options.innovations},
      deviations(outputs, system->pattern().columns, system->pattern().rows, options.in_batches ? Batch::lanes : 1),
      state_deviates(has_deviations_of_state(*system, options)),
      determined(outputs.columns().size(), 1) {
  solver.begin(own);
  if (options.huber > 0) huber.emplace(options.huber, system->pattern().rows);
  if (options.in_batches) {
    const SpreadPlan* swept = solver.own_order().spread.get();
    batch.emplace(*system, *plan, outputs.columns().size(), swept ? swept->inverse().cells : 0);
  }
  if (options.derivatives || state_deviates)
    derivatives = std::make_unique<EstimatorDerivatives>(*system, outputs, options.tolerance, state_deviates);
  deviations.certify(sweep_keeps_digits(*system, *plan, outputs, spread));
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
  const bool solved_again = remedy_outliers(status);
  if (status.ok() && (solved_again || !batch->sample(k).spread_found)) find_spread();
  return finish(status, out);
}

/// Whether the sample was solved anew.
bool Estimator::Parts::remedy_outliers(EstimateStatus& status) noexcept {
  suspects.forget();
  if (huber) {
    if (!huber->is_needed(solver)) return false;
    huber->find(solver, status);
    return true;
  }
  if (!gate || !status.outlier) return false;
  EstimatorSample& sample = solver.sample();
  const int gaps = sample.gaps;
  suspects.leave_out(status);
  sample.gaps = gaps;
  status.reweighted = static_cast<int>(suspects.rows().size());
  return true;
}

void Estimator::Parts::find_spread() noexcept {
  if (const Spread wanted = wanted_spread(); wanted.any()) {
    solver.lu();  // of a batch: not yet
    deviations.find(solver.sample(), *solver.order(), solver.refinements(), weights, offsets, wanted);
  }
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
