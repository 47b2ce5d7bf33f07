#include <utility>

#include "estimator_samples.hpp"
#include "io/fnv_hash.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {

Samples augmented_samples(const Augmented& augmented, const System& system, const Samples& samples,
                          std::function<std::vector<double>(int s)> weight, std::vector<double> precision) {
  Samples filled = samples;
  auto values = std::make_shared<std::vector<double>>(system.pattern().entries());
  auto right_side = std::make_shared<std::vector<double>>(system.pattern().rows);
  filled.fill = [&augmented, weight = std::move(weight), precision = std::move(precision), samples, values, right_side](
                    int s, double* a, double* b) {
    samples.fill(s, values->data(), right_side->data());
    augmented.fill(values->data(), right_side->data(), weight(s).data(), precision.data(), a, b);
  };
  return filled;
}

void complete(MeasurementWeights stated, EstimatorPlan& plan) {
  plan.left_out = std::move(stated.left_out);
  plan.precision = std::move(stated.precision);
  plan.undetermined = std::move(stated.undetermined);
  plan.redundancy = stated.redundancy;
}

std::string estimator_fingerprint(const System& system, const Augmented& augmented) {
  FnvHash hash;
  hash.add(system.fingerprint());
  for (const auto* indices : {&augmented.pattern().row_start, &augmented.pattern().column})
    for (int index : *indices) hash.add(static_cast<long>(index));
  return hash.hexadecimal();
}

Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random) {
  const std::vector<double> weight = measurement_weights(system, plan.left_out).weight;
  return augmented_samples(
      plan.augmented, system, samples_of(system, random), [weight](int) { return weight; }, plan.precision);
}

EstimatorShape estimator_shape(const System& system) {
  const MeasurementWeights stated = closed_measurement_weights(system, {}, samples_of(system, 1));
  Augmented augmented(system.pattern(), stated.exact, stated.prior);
  UnitEntries unit = augmented.unit_entries(unit_entries(system));
  std::string fingerprint = estimator_fingerprint(system, augmented);
  return {std::move(augmented), std::move(unit), std::move(fingerprint)};
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored) {
  MeasurementWeights stated = closed_measurement_weights(system, {}, samples_of(system, 1));
  const Augmented augmented(system.pattern(), stated.exact, stated.prior);
  const std::optional<Order> missing_data = std::move(stored.fallback);
  stored.fallback.reset();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(stored));
  if (missing_data) plan->missing_data = make_plan(plan->plan.pattern, *missing_data, plan->plan.unit);
  complete(std::move(stated), *plan);
  return plan;
}

Plan stored_plan(const EstimatorPlan& plan) {
  Plan stored = plan.plan;
  stored.fallback.reset();
  if (plan.missing_data) stored.fallback = plan.missing_data->order, stored.fallback_strategy = "for samples with gaps";
  return stored;
}

}  // namespace sparsedyn
