#include "cli/planning.hpp"

#include "cli/determinacy_report.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "sparsedyn/json/plan_file.hpp"
#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/solve/unit_entries.hpp"

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
  if (plan.numbers != system.numbers_fingerprint())
    warn(common, path + ": made for a robot of the same structure with other numbers; its health is sampled anew");
  plan.health = measure_health(plan, samples_of(system));
  if (!plan.health.healthy()) warn(common, path + ": the order is not healthy for this robot's numbers; solutions are checked");
  return {in_formulation, std::move(plan)};
}

/// The shipped plan that was made for this structure and is healthy for these numbers.
std::optional<Plan> shipped_plan(const System& system) {
  const std::string quoted_fingerprint = '"' + system.fingerprint() + '"';
  for (const auto& [name, text] : shipped_plan_texts()) {
    if (text.find(quoted_fingerprint) == std::string::npos) continue;
    Plan plan = plan_from_json(json::Document::parse(text, "patterns/" + name + ".json"), system.fingerprint(),
                               system.pattern(), unit_entries(system));
    plan.health = measure_health(plan, samples_of(system));
    if (plan.health.healthy()) return plan;
  }
  return {};
}

std::optional<Plan> searched_plan(const System& system, const CommonOptions& common) {
  if (determinacy(system).verdict() != Verdict::determined) return {};
  OptimiseResult result = optimise(system);
  if (!result.healthy()) warn(common, "no order is healthy at every sampled state; solutions are checked");
  return std::move(result.plan);
}

}  // namespace

std::optional<PlannedSystem> plan_for(std::shared_ptr<const System> system, const std::string& path,
                                      const CommonOptions& common) {
  if (system->pattern().rows != system->pattern().columns) return {};
  if (!path.empty()) return plan_from_file(system, path, common);
  std::optional<Plan> plan = shipped_plan(*system);
  if (!plan) plan = recursive_plan(*system);
  if (!plan || !plan->health.healthy()) plan = searched_plan(*system, common);
  if (!plan) return {};
  return PlannedSystem{std::move(system), *std::move(plan)};
}

}  // namespace sparsedyn::cli
