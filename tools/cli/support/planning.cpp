#include "planning.hpp"

#include "exit_code.hpp"
#include "json/refusals.hpp"
#include "json/solver_with_warnings.hpp"
#include "messages.hpp"
#include "requests/plan_source.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"

namespace sparsedyn::cli {

PlanFile plan_file(const std::string& path) {
  return path.empty() ? nullptr : std::make_shared<const json::Document>(json::Document::load(path));
}

RobotOptions with_snap(RobotOptions options, const PlanFile& plan, double otherwise) {
  if (!options.snap) options.snap = plan ? snap_of_plan(*plan) : otherwise;
  return options;
}

std::vector<int> freedom_order(const Model& model, const ConstraintSet& set, const PlanFile& file) {
  if (!file) return {};
  try {
    const Plan plan = plan_from_json(*file, constraint_fingerprint(model, set), constraint_pattern(model, set), {});
    if (plan.order.rows != plan.order.columns)
      file->root().at("columns").refuse("another order than of the rows", "one order of the freedoms");
    return plan.order.rows;
  } catch (const PlanMismatch& mismatch) {
    refuse_plan(mismatch.what());
  }
}

PlanSource plan_source(const PlanFile& plan) { return plans_for_the_user(plan ? plan_in_document(plan) : nullptr); }

SensorSolver sensor_solver(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                           const CommonOptions& common) {
  return warned(common, [&](std::vector<std::string>& warnings) { return solver_with_warnings(system, options, warnings); });
}

SensorDerivatives sensor_derivatives(const std::shared_ptr<const System>& system, const std::vector<std::string>& outputs,
                                     const PlanSource& plans, const CommonOptions& common) {
  return warned(
      common, [&](std::vector<std::string>& warnings) { return derivatives_with_warnings(system, outputs, plans, warnings); });
}

}  // namespace sparsedyn::cli
