#include "planned.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "determinacy/required_inertia.hpp"
#include "io/suggestions.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparse/detail/health.hpp"

namespace sparsedyn {
namespace {

/// The same robot and set in another formulation.
std::shared_ptr<const System> formulated(const std::shared_ptr<const System>& system, const Formulation& formulation) {
  if (formulation_name(formulation) == formulation_name(system->formulation())) return system;
  return std::make_shared<const System>(system->model(), system->sensors(), formulation);
}

/// Whether a plan says that it was made for other numbers than the system's.
bool of_other_numbers(const Plan& plan, const System& system) {
  return !plan.numbers.empty() && plan.numbers != system.numbers_fingerprint();
}

PlannedSystem stored_solver(const std::shared_ptr<const System>& asked, const StoredPlan& stored) {
  PlannedSystem found;
  found.system = formulated(asked, stored.formulation());
  Plan plan = stored.of_solver(*found.system);
  plan.health = measure_health(plan, samples_of(*found.system));
  found.making.plan_of_other_numbers = of_other_numbers(plan, *found.system);
  found.making.plan_is_weak = !plan.health.healthy();
  found.plan = std::make_shared<const Plan>(std::move(plan));
  return found;
}

[[noreturn]] void refuse_without_search(const System& system, const std::string& why) {
  throw NoPlan(system.model().name + " with " + system.sensors().name + ": " + why +
               "; expected a stored plan, or a search (PlanSource)");
}

std::shared_ptr<const EstimatorPlan> searched_estimator(const System& system, const PlanSource& source) {
  if (source.memory)
    if (std::shared_ptr<const EstimatorPlan> kept = source.memory->find(system, {})) return kept;
  if (!source.search) refuse_without_search(system, "no order is known beforehand for an estimate");
  std::shared_ptr<const EstimatorPlan> plan = source.search->of_estimator(system, {});
  if (source.memory) source.memory->keep(system, {}, *plan);
  return plan;
}

/// Splits the outputs into those that the plan determines (returned) and the others.
std::vector<std::string> determined(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& outputs,
                                    std::vector<std::string>& open) {
  const Outputs all(system, outputs);
  std::vector<std::string> kept;
  for (std::size_t c = 0; c < all.columns().size(); ++c) {
    const std::vector<int>& reads = all.unknowns_of(static_cast<int>(c));
    const bool left_open =
        std::any_of(reads.begin(), reads.end(), [&](int u) { return plan.regularisation.undetermined[u] != 0; });
    (left_open ? open : kept).push_back(all.columns()[c]);
  }
  return kept;
}

}  // namespace

std::optional<PlannedSystem> planned_solver(const std::shared_ptr<const System>& system, const PlanSource& source) {
  if (system->pattern().rows != system->pattern().columns) return {};
  if (source.stored) return stored_solver(system, *source.stored);
  require_inertia(*system);
  PlannedSystem found{system, nullptr, {}};
  std::optional<Plan> plan = shipped_plan(*system);
  if (!plan) plan = recursive_plan(*system);
  if (!plan || !plan->health.healthy()) {
    if (determinacy(*system).verdict() != Verdict::determined) return {};
    if (!source.search) refuse_without_search(*system, "no order that is known beforehand is healthy");
    plan = source.search->of_solver(*system);
    found.making.search_is_weak = !plan->health.healthy();
  }
  found.plan = std::make_shared<const Plan>(*std::move(plan));
  return found;
}

std::shared_ptr<const EstimatorPlan> planned_estimator(const System& system, const PlanSource& source, SolverMaking& making) {
  if (!source.stored) return searched_estimator(system, source);
  std::optional<Plan> stored = source.stored->of_estimator(system);
  if (!stored) {
    if (!source.search)
      throw PlanMismatch(source.stored->name() + ": an order that solves; expected one of an estimate, or a search");
    making.plan_solves_only = true;
    return source.search->of_estimator(system, {});
  }
  making.plan_of_other_numbers = of_other_numbers(*stored, system);
  std::shared_ptr<const EstimatorPlan> plan;
  try {
    plan = plan_estimator(system, *std::move(stored));
  } catch (const std::invalid_argument& wrong) {
    throw InputError(source.stored->name(), 0, "gaps", wrong.what(), "orders for what is left of this system");
  }
  making.plan_is_weak = !measure_health(plan->plan, augmented_samples(system, *plan, 100)).healthy();
  return plan;
}

PlannedEstimate planned_estimate(const System& system, const PlanSource& source, const std::vector<std::string>& outputs) {
  PlannedEstimate found;
  found.plan = planned_estimator(system, source, found.making);
  std::vector<std::string> open;
  const bool asked = !outputs.empty();
  found.outputs = determined(system, *found.plan, asked ? outputs : default_outputs(system), open);
  if (asked && !open.empty()) throw UndeterminedOutputs("the sensors do not determine " + listing(open), open, true);
  if (found.outputs.empty()) throw UndeterminedOutputs("nothing is determined that could be written", open, false);
  found.making.left_out = std::move(open);
  return found;
}

}  // namespace sparsedyn
