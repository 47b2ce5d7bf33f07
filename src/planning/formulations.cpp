#include <algorithm>

#include "folded_counts.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn {
namespace {

constexpr long most_folded = 200000;  // operations executed beyond which recording takes too much time and memory

bool better(const Health& a, long cost_a, const Health& b, long cost_b) {
  if (a.healthy() != b.healthy()) return a.healthy();
  if (!a.healthy()) return a.worst_backward_error < b.worst_backward_error;
  return a.accurate() != b.accurate() ? a.accurate() : cost_a < cost_b;
}

/// What cannot be chosen, or executes several times the least, is not recorded.
bool worth_folding(const StrategyResult& order, const OptimiseResult& all) {
  const long cheapest = all.strategies.front().flops().total(), own = order.flops().total();
  return order.health.healthy() && own <= std::min(most_folded, 2 * cheapest);
}

void price(FormulationResult& result, const OptimiseResult& found, Cost cost, const OptimiseOptions& options) {
  result.assembly = result.system->assembly_counts();
  for (const StrategyResult& order : found.strategies) {
    PricedOrder priced{order, {}, result.assembly.flops() + order.flops().total()};
    if (cost == Cost::folded) {
      if (!worth_folding(order, found)) continue;
      priced.folded =
          generated_counts(*result.system, make_plan(result.system->pattern(), order.order, found.plan.unit), options.outputs);
      priced.cost = priced.folded->flops();
    }
    result.orders.push_back(std::move(priced));
  }
  std::stable_sort(result.orders.begin(), result.orders.end(),
                   [](const PricedOrder& a, const PricedOrder& b) { return a.cost < b.cost; });
}

/// The plan that `optimise` found, with another of its orders.
Plan with_order(const Plan& found, const StrategyResult& chosen) {
  Plan plan = make_plan(found.pattern, chosen.order, found.unit);
  plan.formulation = found.formulation, plan.strategy = chosen.strategy, plan.health = chosen.health;
  plan.fingerprint = found.fingerprint, plan.numbers = found.numbers;
  plan.fallback = found.order, plan.fallback_strategy = found.strategy;
  return plan;
}

void choose(FormulationResult& result, Plan found) {
  const PricedOrder& best = *std::min_element(
      result.orders.begin(), result.orders.end(),
      [](const PricedOrder& a, const PricedOrder& b) { return better(a.order.health, a.cost, b.order.health, b.cost); });
  result.cost = best.cost;
  result.plan = best.order.strategy == found.strategy ? std::move(found) : with_order(found, best.order);
}

FormulationResult searched(const Model& model, const SensorSet& sensors, const Formulation& formulation, Cost cost,
                           const OptimiseOptions& options) {
  FormulationResult result;
  result.formulation = formulation;
  try {
    result.system = std::make_shared<const System>(model, sensors, formulation);
    OptimiseResult found = optimise(*result.system, options);
    price(result, found, cost, options);
    if (result.orders.empty())
      result.misfit = "no healthy order that is short enough to record";
    else
      choose(result, std::move(found.plan));
  } catch (const FormulationMisfit& misfit) {
    result.misfit = misfit.what();
  } catch (const UnknownOutput& output) {
    result.misfit = output.what();
  }
  return result;
}

}  // namespace

std::vector<FormulationResult> compare_formulations(const Model& model, const SensorSet& sensors,
                                                    const std::vector<Formulation>& formulations, Cost cost,
                                                    const OptimiseOptions& options) {
  std::vector<FormulationResult> results;
  for (const Formulation& formulation : formulations) results.push_back(searched(model, sensors, formulation, cost, options));
  std::stable_sort(results.begin(), results.end(), [](const FormulationResult& a, const FormulationResult& b) {
    if (a.misfit.empty() != b.misfit.empty()) return a.misfit.empty();
    return a.misfit.empty() && better(a.plan.health, a.cost, b.plan.health, b.cost);
  });
  return results;
}

}  // namespace sparsedyn
