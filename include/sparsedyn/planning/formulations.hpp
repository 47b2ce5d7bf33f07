// One robot and sensor set in several formulations: orders searched in each, costs compared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn {

/// What counts as the cost of a plan, for the outputs asked.
enum class Cost {
  executed,  // assembly, factorisation and solve as the Solver executes them
  folded     // the program that is generated: constants folded, equal values computed once, nothing that is not needed
};

/// A strategy's order in one formulation.
struct PricedOrder {
  StrategyResult order;                   // with its strategy and health
  std::optional<OperationCounts> folded;  // none unless it was asked for, or where recording is not worth it
  long cost;                              // mul, add, div and sqrt
};

/// What the search found in one formulation.
struct FormulationResult {
  Formulation formulation;               // the one searched
  std::string misfit;                    // why it does not serve this robot, set and outputs; empty: it does
  std::shared_ptr<const System> system;  // the rest only where it serves
  OperationCounts assembly;              // what System::assemble executes
  std::vector<PricedOrder> orders;       // cheapest first
  Plan plan;                             // the cheapest healthy one of these; without one, the least backward error
  long cost = 0;                         // of the plan
};

/// Searches orders in each formulation, as `optimise` does. The first result is the one to choose: the cheapest that is
/// healthy, else the one of the least backward error; formulations that do not serve come last. Throws as `optimise` does.
/// Time: that of `optimise` for each; folded costs record every healthy order that is worth it (up to `most_folded` operations
/// executed, and twice the cheapest order's).
std::vector<FormulationResult> compare_formulations(const Model& model, const SensorSet& sensors,
                                                    const std::vector<Formulation>& formulations, Cost cost,
                                                    const OptimiseOptions& options = {});

}  // namespace sparsedyn
