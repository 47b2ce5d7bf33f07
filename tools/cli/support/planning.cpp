#include "planning.hpp"

#include <algorithm>

#include "cli/reports/determinacy_report.hpp"
#include "cli/rows/plan_cache.hpp"
#include "cli/rows/row_solver.hpp"
#include "exit_code.hpp"
#include "messages.hpp"
#include "output_names.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn::cli {
namespace {

[[noreturn]] void refuse_plan(const std::string& reason) {
  throw AnswerIsNo(reason, json_text({{"fits", false}, {"reason", reason}}));
}

/// The same robot and set in another formulation.
std::shared_ptr<const System> reformulated(const std::shared_ptr<const System>& system, const Formulation& formulation,
                                           const std::string& path) {
  if (formulation_name(formulation) == formulation_name({})) return system;
  try {
    return std::make_shared<const System>(system->model(), system->sensors(), formulation);
  } catch (const FormulationMisfit& misfit) {
    refuse_plan(path + ": " + misfit.what());
  }
}

void warn_of_other_numbers(const Plan& plan, const System& system, const std::string& path, const CommonOptions& common) {
  if (plan.numbers != system.numbers_fingerprint())
    warn(common, path + ": made for a robot of the same structure with other numbers; its health is sampled anew");
}

void warn_of_weakness(const Health& health, const std::string& path, const CommonOptions& common) {
  if (!health.healthy()) warn(common, path + ": the order is not healthy for this robot's numbers; solutions are checked");
}

PlannedSystem plan_from_file(const std::shared_ptr<const System>& asked, const std::string& path, const CommonOptions& common) {
  const json::Document document = json::Document::load(path);
  const std::shared_ptr<const System> in_formulation = reformulated(asked, formulation_of_plan(document), path);
  const System& system = *in_formulation;
  Plan plan = [&] {
    try {
      return plan_from_json(document, system.fingerprint(), system.pattern(), unit_entries(system));
    } catch (const PlanMismatch& mismatch) {
      refuse_plan(mismatch.what());
    }
  }();
  warn_of_other_numbers(plan, system, path, common);
  plan.health = measure_health(plan, samples_of(system));
  warn_of_weakness(plan.health, path, common);
  return {in_formulation, std::move(plan)};
}

/// Whether the plan in that file is one for this robot and set, in whatever formulation, that solves and does not estimate.
bool is_order_of_rows(const std::string& path, const System& system) try {
  const json::Document document = json::Document::load(path);
  const System asked(system.model(), system.sensors(), formulation_of_plan(document));
  plan_from_json(document, asked.fingerprint(), asked.pattern(), unit_entries(asked));
  return true;
} catch (const PlanMismatch&) {
  return false;
} catch (const FormulationMisfit&) {
  return false;
}

/// Every torque and wrench is given exactly, and nothing else is: forward dynamics.
bool is_forward_dynamics(const System& system) {
  const std::vector<bool> held = held_exactly(system);
  for (std::size_t x = 0; x < held.size(); ++x) {
    const VariableKind kind = system.unknowns()[x].kind;
    if ((kind == VariableKind::tau || kind == VariableKind::fx) && !held[x]) return false;
  }
  return true;
}

/// Where every body has mass, M is positive definite.
bool has_massless_body(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.inertia.m == 0; });
}

}  // namespace

bool inverts_inertia(const std::string& algorithm) { return algorithm == "minverse" || algorithm.rfind("aba", 0) == 0; }

std::vector<int> freedom_order(const Model& model, const ConstraintSet& set, const std::string& path) {
  if (path.empty()) return {};
  const json::Document document = json::Document::load(path);
  try {
    const Plan plan = plan_from_json(document, constraint_fingerprint(model, set), constraint_pattern(model, set), {});
    if (plan.order.rows != plan.order.columns)
      document.root().at("columns").refuse("another order than of the rows", "one order of the freedoms");
    return plan.order.rows;
  } catch (const PlanMismatch& mismatch) {
    refuse_plan(mismatch.what());
  }
}

void require_inertia(const System& system) {
  if (!has_massless_body(system.model()) || !is_forward_dynamics(system)) return;
  const Determinacy found = determinacy(system);
  if (found.verdict() != Verdict::insufficient) return;
  std::vector<std::string> open;
  for (int x : found.undetermined)
    if (system.unknowns()[x].kind == VariableKind::ddq) open.push_back(system.unknown_names()[x]);
  throw SingularSystem("the system is singular at every state: nothing determines " + listing(open),
                       found.undetermined.front());
}

namespace {

std::optional<Plan> searched_plan(const System& system, const CommonOptions& common) {
  if (determinacy(system).verdict() != Verdict::determined) return {};
  OptimiseResult result = optimise(system);
  if (!result.healthy()) warn(common, "no order is healthy at every sampled state; solutions are checked");
  return std::move(result.plan);
}

}  // namespace

bool is_estimated(const System& system) {
  const std::vector<Sensor>& sensors = system.sensors().sensors;
  const bool offsets = std::any_of(sensors.begin(), sensors.end(), [](const Sensor& s) { return s.bias; });
  // exact rows leave priors nothing to say, and have no offsets
  return system.pattern().rows != system.pattern().columns ||
         ((offsets || !system.sensors().prior.empty()) && has_noisy_rows(system));
}

std::shared_ptr<const EstimatorPlan> estimator_plan_for(const System& system, const std::string& path,
                                                        const CommonOptions& common) {
  if (path.empty()) {
    const PlanCache cache(system);
    if (std::shared_ptr<const EstimatorPlan> kept = cache.find({})) return kept;
    std::shared_ptr<const EstimatorPlan> plan = plan_estimator(system);
    cache.keep({}, *plan);
    return plan;
  }
  const EstimatorShape shape = estimator_shape(system);
  std::optional<Plan> found;
  try {
    found = load_plan(path, shape.fingerprint, shape.augmented.pattern(), shape.unit, {}, &shape.open_gaps.pattern());
  } catch (const PlanMismatch& mismatch) {
    if (is_estimated(system) || !is_order_of_rows(path, system)) refuse_plan(mismatch.what());
    warn(common, path + ": an order that solves, where deviations or innovations are asked for; another is searched");
    return plan_estimator(system);
  }
  Plan stored = *std::move(found);
  warn_of_other_numbers(stored, system, path, common);
  std::shared_ptr<const EstimatorPlan> plan;
  try {
    plan = plan_estimator(system, std::move(stored));
  } catch (const std::invalid_argument& wrong) {
    throw InputError(path, 0, "gaps", wrong.what(), "orders for what is left of this system");
  }
  warn_of_weakness(measure_health(plan->plan, augmented_samples(system, *plan, 100)), path, common);
  return plan;
}

std::optional<PlannedSystem> plan_for(std::shared_ptr<const System> system, const std::string& path,
                                      const CommonOptions& common) {
  if (system->pattern().rows != system->pattern().columns) return {};
  if (!path.empty()) return plan_from_file(system, path, common);
  require_inertia(*system);
  std::optional<Plan> plan = shipped_plan(*system);
  if (!plan) plan = recursive_plan(*system);
  if (!plan || !plan->health.healthy()) plan = searched_plan(*system, common);
  if (!plan) return {};
  return PlannedSystem{std::move(system), *std::move(plan)};
}

}  // namespace sparsedyn::cli
