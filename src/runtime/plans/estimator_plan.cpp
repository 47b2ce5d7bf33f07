#include "sparsedyn/runtime/estimator_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "io/fnv_hash.hpp"
#include "runtime/plans/estimator_samples.hpp"
#include "runtime/system_samples.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {

Samples augmented_samples(const Augmented& augmented, const System& system, const Samples& samples,
                          std::function<const SampleWeights&(int s)> weights) {
  Samples filled = samples;
  filled.moved = nullptr;
  const std::size_t entries = static_cast<std::size_t>(system.pattern().entries()),
                    rows = static_cast<std::size_t>(system.pattern().rows);
  filled.fill = [&augmented, weights = std::move(weights), samples, entries, rows](int s, double* a, double* b) {
    const std::unique_ptr<double[]> values(new double[entries + rows]);  // its own, as threads may ask
    double* const right_side = values.get() + entries;
    samples.fill(s, values.get(), right_side);
    const SampleWeights& of = weights(s);
    augmented.fill(values.get(), right_side, of.weight.data(), of.precision.data(), a, b);
  };
  return filled;
}

void complete(MeasurementWeights stated, EstimatorPlan& plan) {
  plan.left_out = std::move(stated.left_out);
  plan.regularisation = std::move(stated.regularisation);
}

std::string estimator_fingerprint(const System& system, const Augmented& augmented) {
  FnvHash hash;
  hash.add(system.fingerprint());
  for (const auto* indices : {&augmented.pattern().row_start, &augmented.pattern().column})
    for (int index : *indices) hash.add(static_cast<long>(index));
  return hash.hexadecimal();
}

std::string estimator_numbers(const System& system) {
  FnvHash hash;
  const auto add = [&](double x) {
    std::int64_t bits = 0;
    static_assert(sizeof bits == sizeof x);
    std::memcpy(&bits, &x, sizeof x);
    hash.add(bits);
  };
  hash.add(system.numbers_fingerprint());
  for (const Measurement& m : system.measurements())
    for (double sigma : m.sigma) add(sigma);
  for (const auto& [kind, deviation] : system.sensors().prior) hash.add(kind), add(deviation);
  return hash.hexadecimal();
}

std::vector<double> estimator_deviations(const System& system) {
  std::vector<double> all;
  for (const Measurement& m : system.measurements()) all.insert(all.end(), m.sigma.begin(), m.sigma.end());
  for (const auto& [kind, deviation] : system.sensors().prior) all.push_back(deviation);
  if (!std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); })) all.clear();
  return all;
}

Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random) {
  const auto weights = std::make_shared<const SampleWeights>(
      SampleWeights{measurement_weights(system, plan.left_out).weight, plan.regularisation.precision});
  return augmented_samples(plan.augmented, system, samples_of(system, random),
                           [weights](int) -> const SampleWeights& { return *weights; });
}

Augmented augmented_for_open_gaps(const System& system, const MeasurementWeights& stated) {
  std::vector<char> prior = may_be_open(system);
  for (std::size_t j = 0; j < prior.size(); ++j) prior[j] = prior[j] || stated.prior[j];
  return {system.pattern(), stated.exact, std::move(prior)};
}

EstimatorShape estimator_shape(const System& system) {
  const MeasurementWeights stated = closed_measurement_weights(system, {}, samples_of(system, 1));
  Augmented augmented(system.pattern(), stated.exact, stated.prior);
  UnitEntries unit = augmented.unit_entries(unit_entries(system));
  std::string fingerprint = estimator_fingerprint(system, augmented);
  return {std::move(augmented), std::move(unit), std::move(fingerprint), augmented_for_open_gaps(system, stated)};
}

std::vector<char> missing_rows(const System& system, const double* y) {
  std::vector<char> missing(static_cast<std::size_t>(system.pattern().rows), 0);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0 && std::isnan(y[m.inputs[k]])) missing[static_cast<std::size_t>(m.first_row + k)] = 1;
  return missing;
}

namespace {

/// Flags of rows, each of which a sensor reads.
std::vector<char> flags_of(const System& system, const std::vector<int>& rows) {
  const std::vector<double> nothing_read(system.inputs().size(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<char> read = missing_rows(system, nothing_read.data());
  std::vector<char> flags(read.size(), 0);
  for (int row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= read.size() || !read[static_cast<std::size_t>(row)])
      throw std::invalid_argument("gaps: row " + std::to_string(row) + "; expected rows that sensors read");
    flags[static_cast<std::size_t>(row)] = 1;
  }
  return flags;
}

}  // namespace

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const GapOrder& gaps) {
  MeasurementWeights left = closed_measurement_weights(system, flags_of(system, gaps.missing), samples_of(system, 1));
  const Augmented augmented(system.pattern(), left.exact, left.prior);
  try {
    Plan order = make_plan(augmented.pattern(), gaps.order, augmented.unit_entries(unit_entries(system)));
    order.strategy = "for these gaps";
    auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(order));
    complete(std::move(left), *plan);
    return plan;
  } catch (const ZeroPivot& zero) {
    throw std::invalid_argument(std::string("gaps: ") + zero.what());
  }
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored) {
  MeasurementWeights stated = closed_measurement_weights(system, {}, samples_of(system, 1));
  const Augmented augmented(system.pattern(), stated.exact, stated.prior);
  const std::optional<Order> missing_data = std::move(stored.fallback), open_gaps = std::move(stored.open_gaps);
  const std::vector<GapOrder> gaps = std::move(stored.gaps);
  stored.fallback.reset(), stored.open_gaps.reset(), stored.gaps.clear();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(stored));
  if (missing_data) plan->missing_data = make_plan(plan->plan.pattern, *missing_data, plan->plan.unit);
  if (open_gaps) {
    Augmented closed = augmented_for_open_gaps(system, stated);
    Plan order = make_plan(closed.pattern(), *open_gaps, closed.unit_entries(unit_entries(system)));
    plan->open_gaps = AugmentedPlan{std::move(closed), std::move(order)};
  }
  complete(std::move(stated), *plan);
  for (const GapOrder& each : gaps) plan->gaps.push_back(plan_estimator(system, each));
  return plan;
}

Plan stored_plan(const EstimatorPlan& plan) {
  Plan stored = plan.plan;
  stored.fallback.reset(), stored.open_gaps.reset(), stored.gaps.clear();
  if (plan.missing_data) stored.fallback = plan.missing_data->order, stored.fallback_strategy = fallback_for_gaps;
  if (plan.open_gaps) stored.open_gaps = plan.open_gaps->plan.order;
  for (const std::shared_ptr<const EstimatorPlan>& gaps : plan.gaps) {
    std::vector<int> missing;
    for (std::size_t r = 0; r < gaps->left_out.size(); ++r)
      if (gaps->left_out[r]) missing.push_back(static_cast<int>(r));
    stored.gaps.push_back({std::move(missing), gaps->plan.order});
  }
  return stored;
}

}  // namespace sparsedyn
