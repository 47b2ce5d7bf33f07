#include "runtime/sign_plan.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparse/detail/health.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {

void sign(Plan& plan, const System& system) {
  plan.fingerprint = system.fingerprint();
  plan.numbers = system.numbers_fingerprint();
  const std::string formulation = formulation_name(system.formulation());
  if (formulation != formulation_name({})) plan.formulation = formulation;
}

void refuse_singular(const System& system, int column) {
  std::string text = "the system is singular at every state";
  if (column >= 0) text += ": nothing determines " + system.unknown_names()[column];
  throw SingularSystem(text, column);
}

std::optional<Plan> recursive_plan(const System& system) {
  const std::optional<Order> order = recursive_order(system);
  if (!order) return {};
  Plan plan;
  try {
    plan = make_plan(system.pattern(), *order, unit_entries(system));
  } catch (const ZeroPivot& zero) {
    if (!system.closures().empty()) return {};  // loops may hold what has no mass, which this order does not see
    refuse_singular(system, zero.column);
  }
  plan.strategy = "recursive";
  sign(plan, system);
  plan.health = measure_health(plan, samples_of(system));
  return plan;
}

}  // namespace sparsedyn
