#include "sparsedyn/runtime/make_solver.hpp"

#include <memory>
#include <utility>

#include "runtime/system_samples.hpp"
#include "shipped_plans.hpp"
#include "sign_plan.hpp"
#include "sparsedyn/sparse/detail/health.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

void check_fit(const Plan& plan, const std::string& fingerprint) {
  if (plan.fingerprint != fingerprint)
    throw PlanMismatch("a plan made for another structure of robot or sensor set (fingerprint " + plan.fingerprint +
                       "; expected " + fingerprint + ")");
}

Plan known_plan(const System& system) {
  const std::string who = system.model().name + " with " + system.sensors().name;
  if (system.pattern().rows != system.pattern().columns)
    throw NoPlan(who + ": " + std::to_string(system.pattern().rows) + " equations for " +
                 std::to_string(system.pattern().columns) + " unknowns; expected as many (make_estimator serves others)");
  std::optional<Plan> plan = shipped_plan(system);
  if (!plan) plan = recursive_plan(system);
  if (!plan) throw NoPlan(who + ": no recursive order serves these sensors; expected a plan (optimise)");
  if (!plan->health.healthy()) throw NoPlan(who + ": the recursive order is not healthy; expected a plan (optimise)");
  return *std::move(plan);
}

}  // namespace

Solver make_solver(const Model& model, const SensorSet& sensors, const SolverOptions& options) {
  const auto system = std::make_shared<const System>(model, sensors);
  return Solver(system, std::make_shared<const Plan>(known_plan(*system)), options);
}

Solver make_solver(const Model& model, const SensorSet& sensors, Plan plan, const SolverOptions& options) {
  const Formulation formulation = plan.formulation.empty() ? Formulation{} : formulation_named(plan.formulation);
  const auto system = std::make_shared<const System>(model, sensors, formulation);
  check_fit(plan, system->fingerprint());
  return Solver(system, std::make_shared<const Plan>(std::move(plan)), options);
}

Estimator make_estimator(const Model& model, const SensorSet& sensors, Plan plan, const EstimatorOptions& options) {
  const auto system = std::make_shared<const System>(model, sensors);
  check_fit(plan, estimator_shape(*system).fingerprint);
  return Estimator(system, plan_estimator(*system, std::move(plan)), options);
}

std::optional<Plan> shipped_plan(const System& system) {
  for (const ShippedPlan& shipped : shipped_plans()) {
    if (shipped.fingerprint != system.fingerprint() || shipped.formulation != formulation_name(system.formulation())) continue;
    Plan plan = make_plan(system.pattern(), {shipped.rows, shipped.columns}, unit_entries(system));
    plan.strategy = shipped.strategy;
    sign(plan, system);
    plan.health = measure_health(plan, samples_of(system));
    if (plan.health.healthy()) return plan;
  }
  return {};
}

}  // namespace sparsedyn
