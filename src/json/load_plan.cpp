#include <optional>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

/// A plan of the system's equations, or none where the file is for another structure.
std::optional<Plan> plan_of_rows(const json::Document& document, const System& system) try {
  return plan_from_json(document, system.fingerprint(), system.pattern(), unit_entries(system));
} catch (const PlanMismatch&) {
  return {};
}

Plan plan_of(const json::Document& document, const System& system) {
  if (std::optional<Plan> plan = plan_of_rows(document, system)) return *std::move(plan);
  return estimator_plan_from_json(document, system);
}

}  // namespace

Plan estimator_plan_from_json(const json::Document& document, const System& system) {
  const EstimatorShape shape = estimator_shape(system);
  return plan_from_json(document, shape.fingerprint, shape.augmented.pattern(), shape.unit, {}, &shape.open_gaps.pattern());
}

Plan load_plan(const std::string& path, const System& system) {
  const json::Document document = json::Document::load(path);
  const Formulation formulation = formulation_of_plan(document);
  if (formulation_name(formulation) == formulation_name(system.formulation())) return plan_of(document, system);
  return plan_of(document, System(system.model(), system.sensors(), formulation));
}

Plan load_plan(const std::string& path, const std::string& fingerprint, const Pattern& pattern, const UnitEntries& unit,
               const std::vector<int>& outputs, const Pattern* of_open_gaps) {
  return plan_from_json(json::Document::load(path), fingerprint, pattern, unit, outputs, of_open_gaps);
}

}  // namespace sparsedyn
