// From a robot and its sensor set to a plan: for the Solver, for the Estimator (sets that know more, or less, than the dynamics
// need), and for the Solver in several formulations, their costs compared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/scalar/detail/counting_scalar.hpp"

namespace sparsedyn {

/// Compares all strategies and keeps the cheapest healthy order. The plan carries the system's fingerprint. Health is sampled
/// where the loops of hard constraints are closed: see states_left_out.
/// Throws std::invalid_argument for a system that is not square, SingularSystem (which names an unknown).
/// A 30-joint chain takes about a second; time grows with joints × operations.
OptimiseResult optimise(const System& system, const OptimiseOptions& options = {});

/// The same for a step of ConstrainedDynamics: M + Jᵀ h J of this robot under these constraints, a row and a column a freedom
/// (constraint_pattern), rows and columns in one order: plan.order.rows is ConstraintOptions::order. Without loops, and joints
/// that follow others, none is cheaper than from the tips to the base. Throws as ConstrainedDynamics does.
OptimiseResult optimise(const Model& model, const ConstraintSet& set, const OptimiseOptions& options = {});

/// Of the states that `optimise` moves onto the loops of hard constraints: how many no step closes and what stays open, in
/// words; where none can be closed, that health is sampled at open loops. "" where all are closed, or there are no loops.
std::string states_left_out(const System& system);
std::string states_left_out(const Model& model, const ConstraintSet& set);

/// The plan for all rows but those flagged in `left_out` (one flag a row of the system, or none), with the set's priors.
/// Unknowns that rows and priors leave open are flagged in the plan; as many of them as it takes get a unit precision, which
/// closes the system and changes nothing that is determined.
/// Throws RedundantExactRows, SingularSystem. Offline: dense rank decisions, O(n³).
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out = {},
                                                    const OptimiseOptions& options = {});

/// The same, and what the search for its order saw.
struct SearchedEstimator {
  std::shared_ptr<const EstimatorPlan> plan;  // the plan itself
  std::vector<StrategyResult> strategies;     // as in OptimiseResult
};
/// Arguments, errors and cost as plan_estimator's.
SearchedEstimator search_estimator_plan(const System& system, const std::vector<char>& left_out = {},
                                        const OptimiseOptions& options = {});

/// A plan that patterns of gaps in samples were added to.
struct GapsPlanned {
  std::shared_ptr<const EstimatorPlan> plan;  // with what the patterns need (EstimatorPlan::gaps)
  int served = 0;                             // distinct patterns for which the plan had an order already
  std::vector<std::vector<char>> unserved;    // patterns that no order serves; samples with them are answered one by one
};
/// Tries each distinct pattern (a flag for each row of the system: missing_rows()) at general states, and searches an order for
/// those that the plan's own orders do not serve. Cost: a trial each, and a search (as plan_estimator) for each such pattern.
GapsPlanned plan_gaps(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                      const std::vector<std::vector<char>>& patterns, const OptimiseOptions& options = {});

/// What counts as the cost of a plan, for the outputs asked.
enum class Cost {
  executed,  // assembly, factorisation and solve as the Solver executes them
  folded     // the program that is generated: constants folded, equal values computed once, nothing that is not needed.
             // std::invalid_argument where the library was built without the component codegen
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
