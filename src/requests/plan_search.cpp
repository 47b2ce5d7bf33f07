#include "plan_search.hpp"

#include "determinacy/needs_estimate.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "runtime/spread/spread_plan.hpp"

namespace sparsedyn {
namespace {

[[noreturn]] void refuse_search(const std::string& reason) { throw AnswerIsNo(reason, json::json_text({{"reason", reason}})); }

/// With an order for each pattern of gaps; `found` is told of them.
SearchedPlan plan_with_gaps(const std::shared_ptr<const System>& system, const PlanRequest& request, PlanFound& found) {
  SearchedEstimator searched = search_estimator_plan(*system, {}, request.search);
  const std::size_t orders_before = searched.plan->gaps.size();
  const GapSearch planned = plan_gaps(system, searched.plan, request.gaps, request.search);
  found.gaps_served = planned.served;
  found.gaps_planned = static_cast<int>(planned.plan->gaps.size() - orders_before);
  found.gaps_unserved = static_cast<int>(planned.unserved.size());
  return {stored_plan(*planned.plan), std::move(searched.strategies), searched.recalled,
          searched.deviations ? searched.deviations : flops_of_deviations(*system, *planned.plan)};
}

/// The orders of the augmented system.
PlanFound estimator_plans(const std::shared_ptr<const System>& system, const PlanRequest& request) {
  PlanFound found;
  FormulationResult result;
  result.system = system;
  SearchedPlan searched =
      request.gaps.empty() ? search_stored_plan(*system, request.search) : plan_with_gaps(system, request, found);
  found.recalled = searched.recalled;
  found.deviations = searched.deviations;
  result.plan = std::move(searched.plan);
  result.assembly = system->assembly_counts();
  result.cost = result.assembly.flops() + result.plan.flops().total();
  for (const StrategyResult& order : searched.strategies)
    result.orders.push_back({order, {}, result.assembly.flops() + order.flops().total()});
  found.results.push_back(std::move(result));
  return found;
}

}  // namespace

PlanFound search_plan(const std::shared_ptr<const System>& system, const PlanRequest& request) {
  try {
    if (needs_estimate(*system)) return estimator_plans(system, request);
    if (!request.gaps.empty())
      refuse_search("the set is solved, and needs every reading: --gaps is for sets that are estimated");
    PlanFound found;
    found.results =
        compare_formulations(system->model(), system->sensors(), request.formulations, request.cost, request.search);
    if (!found.results.front().misfit.empty()) refuse_search(found.results.front().misfit);
    return found;
  } catch (const SingularSystem& singular) {
    refuse_search(singular.what());
  }
}

FormulationResult search_plan(const Model& model, const ConstraintSet& set, const OptimiseOptions& search) {
  OptimiseResult found = optimise(model, set, search);
  FormulationResult result;
  result.plan = std::move(found.plan);
  result.cost = result.plan.flops().total();
  for (const StrategyResult& order : found.strategies) result.orders.push_back({order, {}, order.flops().total()});
  return result;
}

}  // namespace sparsedyn
