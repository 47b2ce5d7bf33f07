#include "sparsedyn/ordering/plan_estimator.hpp"

#include <algorithm>
#include <random>

#include "gated_plan.hpp"
#include "search_order.hpp"
#include "sparsedyn/io/fnv_hash.hpp"
#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/solve/unit_entries.hpp"
#include "statement.hpp"

namespace sparsedyn {
namespace {

/// Weights of a sample with gaps: one whole sensor all but gone, or in every other sample every fifth row. (Not quite gone: a
/// sample that nothing determines says nothing about an order.)
std::vector<double> with_gaps(const System& system, std::vector<double> weight, int sample) {
  constexpr double gone = 1e-6;
  std::minstd_rand rng(static_cast<unsigned>(sample) + 1u);
  rng.discard(1);
  if (sample % 2) {
    for (double& w : weight)
      if (rng() % 5 == 0) w *= gone;
  } else if (!system.measurements().empty()) {
    const Measurement& m = system.measurements()[rng() % system.measurements().size()];
    for (int k = 0; k < m.rows(); ++k) weight[m.first_row + k] *= gone;
  }
  return weight;
}

/// The augmented system at the states of `samples`.
Samples augmented_samples(const Augmented& augmented, const System& system, const Samples& samples,
                          const std::vector<double>& weight, const std::vector<double>& precision, bool gaps) {
  Samples filled = samples;
  auto values = std::make_shared<std::vector<double>>(system.pattern().entries());
  auto right_side = std::make_shared<std::vector<double>>(system.pattern().rows);
  filled.fill = [&augmented, &system, weight, precision, samples, values, right_side, gaps](int s, double* a, double* b) {
    samples.fill(s, values->data(), right_side->data());
    augmented.fill(values->data(), right_side->data(), (gaps ? with_gaps(system, weight, s) : weight).data(), precision.data(),
                   a, b);
  };
  return filled;
}

OrderingProblem augmented_problem(const Augmented& augmented, const System& system, const Samples& samples,
                                  const Statement& stated, bool gaps) {
  OrderingProblem problem;
  problem.pattern = augmented.pattern();
  problem.unit = augmented.unit_entries(unit_entries(system));
  problem.exact = augmented.exact_rows();
  problem.samples = augmented_samples(augmented, system, samples, stated.weight, stated.precision, gaps);
  return problem;
}

void complete(Statement stated, EstimatorPlan& plan) {
  plan.left_out = std::move(stated.left_out);
  plan.precision = std::move(stated.precision);
  plan.undetermined = std::move(stated.undetermined);
  plan.redundancy = stated.redundancy;
}

/// The order that is proof against gaps, where it is healthy and costs less than the others: then it serves every sample.
bool take_if_better(const Plan& gated, const OrderingProblem& problem, OptimiseResult& result) {
  StrategyResult own{"residuals first",
                     gated.factor_flops(),
                     gated.solve_flops(),
                     gated.elimination.fill,
                     measure_health(gated, problem.samples),
                     gated.order};
  const bool as_good = own.health.healthy() && (own.health.accurate() || !result.plan.health.accurate());
  const bool better = as_good && own.flops().total() < result.plan.flops().total();
  if (better) {
    result.plan = gated;
    result.plan.strategy = own.strategy;
    result.plan.health = own.health;
  }
  const auto dearer = [&](const StrategyResult& other) { return other.flops().total() > own.flops().total(); };
  result.strategies.insert(std::find_if(result.strategies.begin(), result.strategies.end(), dearer), std::move(own));
  return better;
}

std::string fingerprint_of(const System& system, const Augmented& augmented) {
  FnvHash hash;
  hash.add(system.fingerprint());
  for (const auto* indices : {&augmented.pattern().row_start, &augmented.pattern().column})
    for (int index : *indices) hash.add(static_cast<long>(index));
  return hash.hexadecimal();
}

}  // namespace

Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random) {
  return augmented_samples(plan.augmented, system, samples_of(system, random), statement_of(system, plan.left_out).weight,
                           plan.precision, false);
}

SearchedEstimator search_estimator_plan(const System& system, const std::vector<char>& left_out,
                                        const OptimiseOptions& options) {
  const Samples samples = sampled(samples_of(system), options);
  Statement stated = closed_statement(system, left_out, samples);
  const Augmented augmented(system.pattern(), stated.exact, stated.prior);
  const OrderingProblem problem = augmented_problem(augmented, system, samples, stated, false);
  OptimiseResult result = search_order(problem, options);
  std::optional<Plan> gated = gated_plan(augmented, augmented_problem(augmented, system, samples, stated, true), options);
  if (gated && take_if_better(*gated, problem, result)) gated.reset();
  result.plan.fingerprint = fingerprint_of(system, augmented);
  result.plan.numbers = system.numbers_fingerprint();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(result.plan));
  plan->gated = std::move(gated);
  complete(std::move(stated), *plan);
  return {plan, std::move(result.strategies)};
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out,
                                                    const OptimiseOptions& options) {
  return search_estimator_plan(system, left_out, options).plan;
}

EstimatorShape estimator_shape(const System& system) {
  const Statement stated = closed_statement(system, {}, samples_of(system, 1));
  Augmented augmented(system.pattern(), stated.exact, stated.prior);
  UnitEntries unit = augmented.unit_entries(unit_entries(system));
  std::string fingerprint = fingerprint_of(system, augmented);
  return {std::move(augmented), std::move(unit), std::move(fingerprint)};
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored) {
  Statement stated = closed_statement(system, {}, samples_of(system, 1));
  const Augmented augmented(system.pattern(), stated.exact, stated.prior);
  const std::optional<Order> gated = std::move(stored.second);
  stored.second.reset();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(stored));
  if (gated) plan->gated = make_plan(plan->plan.pattern, *gated, plan->plan.unit);
  complete(std::move(stated), *plan);
  return plan;
}

Plan stored_plan(const EstimatorPlan& plan) {
  Plan stored = plan.plan;
  stored.second.reset();
  if (plan.gated) stored.second = plan.gated->order, stored.second_strategy = "for samples with gaps";
  return stored;
}

}  // namespace sparsedyn
