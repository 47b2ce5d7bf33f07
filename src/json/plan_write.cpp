#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sparsedyn/json/files.hpp"

namespace sparsedyn {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null stands for it.
Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json flops_to_json(const Flops& flops) { return {{"mul", flops.mul}, {"add", flops.add}, {"div", flops.div}}; }

/// Whether its program leaves no unknown out, as one that is made for some outputs may.
bool of_all_unknowns(const Plan& plan) {
  return plan.program.complete.runs.empty() && plan.program.solution.size() == static_cast<std::size_t>(plan.pattern.columns);
}

}  // namespace

std::string plan_to_json(const Plan& plan, const PlanLabel& label) {
  std::optional<Plan> made;
  if (!of_all_unknowns(plan)) made = make_plan(plan.pattern, plan.order, plan.unit);
  const Plan& whole = made ? *made : plan;
  std::string text = "{\n";
  const auto member = [&](const std::string& key, const Json& value) {  // bytes that are no UTF-8, of a name, are replaced
    text += "  \"" + key + "\": " + value.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n";
  };
  member("format", "sparsedyn-plan");
  member("version", 1);
  member("robot", label.robot);
  member("sensors", label.sensors);
  member("fingerprint", plan.fingerprint);
  member("numbers", plan.numbers);
  member("snap", label.snap);
  if (!plan.formulation.empty()) member("formulation", plan.formulation);
  member("strategy", plan.strategy);
  member("unknowns", plan.pattern.columns);
  member("fill", whole.elimination.fill);
  member("flops", {{"factor", flops_to_json(whole.factor_flops())}, {"solve", flops_to_json(whole.solve_flops())}});
  member("health", {{"healthy", plan.health.healthy()},
                    {"states", plan.health.states},
                    {"worst_backward_error", finite_or_null(plan.health.worst_backward_error)},
                    {"worst_growth", finite_or_null(plan.health.worst_growth)},
                    {"worst_state", plan.health.worst_state}});
  member("rows", plan.order.rows);
  member("columns", plan.order.columns);
  if (plan.fallback) {
    const Json second = {
        {"strategy", plan.fallback_strategy}, {"rows", plan.fallback->rows}, {"columns", plan.fallback->columns}};
    member("second", second);
  }
  if (plan.open_gaps) member("open_gaps", {{"rows", plan.open_gaps->rows}, {"columns", plan.open_gaps->columns}});
  if (!plan.gaps.empty()) {
    Json gaps = Json::array();
    for (const GapOrder& g : plan.gaps)
      gaps.push_back({{"missing", g.missing}, {"rows", g.order.rows}, {"columns", g.order.columns}});
    member("gaps", gaps);
  }
  text.erase(text.size() - 2, 1);
  return text + "}\n";
}

}  // namespace sparsedyn
