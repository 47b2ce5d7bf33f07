#include "cli/planning.hpp"

#include "cli/determinacy_report.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "sparsedyn/json/plan_file.hpp"
#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/solve/unit_entries.hpp"

namespace sparsedyn::cli {
namespace {

Plan plan_from_file(const System& system, const std::string& path, const CommonOptions& common) {
  Plan plan = [&] {
    try {
      return load_plan(path, system.fingerprint(), system.pattern(), unit_entries(system));
    } catch (const PlanMismatch& mismatch) {
      throw AnswerIsNo(mismatch.what(), json_text({{"fits", false}, {"reason", mismatch.what()}}));
    }
  }();
  if (plan.numbers != system.numbers_fingerprint())
    warn(common, path + ": made for a robot of the same structure with other numbers; its health is sampled anew");
  plan.health = measure_health(plan, samples_of(system));
  if (!plan.health.healthy()) warn(common, path + ": the order is not healthy for this robot's numbers; solutions are checked");
  return plan;
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

std::optional<Plan> plan_for(const System& system, const std::string& path, const CommonOptions& common) {
  if (system.pattern().rows != system.pattern().columns) return {};
  if (!path.empty()) return plan_from_file(system, path, common);
  if (std::optional<Plan> plan = shipped_plan(system)) return plan;
  if (std::optional<Plan> plan = recursive_plan(system); plan && plan->health.healthy()) return plan;
  return searched_plan(system, common);
}

}  // namespace sparsedyn::cli
