// Search for plans: for the Solver; for the Estimator (sets that determine more, or less, than the dynamics); and for the
// Solver in several formulations, with a comparison of their costs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn {

/// Compares all strategies and keeps the cheapest healthy order. The plan carries the system's fingerprint. Health is sampled
/// where the loops of hard constraints are closed: see states_left_out.
/// Throws std::invalid_argument for a system that is not square, SingularSystem (which names an unknown).
/// A 30-joint chain takes about a second; time grows with joints × operations.
OptimiseResult optimise(const System& system, const OptimiseOptions& options = {});

/// The same for a step of ConstrainedDynamics: M + Jᵀ h J of this robot under these constraints, one row and column for each
/// freedom (constraint_pattern), with rows and columns in the same order: plan.order.rows is ConstraintOptions::order. Without
/// loops and mimic joints, no order is cheaper than from the tips to the base. Throws as ConstrainedDynamics does.
OptimiseResult optimise(const Model& model, const ConstraintSet& set, const OptimiseOptions& options = {});

/// Of the states that `optimise` projects onto the loops of hard constraints: how many projections fail and which loop stays
/// open, in words; where none can be closed, that health is sampled at open loops. "" where all are closed, or there are no
/// loops.
std::string states_left_out(const System& system);
std::string states_left_out(const Model& model, const ConstraintSet& set);

/// The plan for all rows except those flagged in `left_out` (one flag a row of the system, or none), with the set's priors.
/// Unknowns that rows and priors do not determine are flagged in the plan. As many of them as needed get a unit precision,
/// which makes the system regular and changes nothing that is determined. Throws RedundantExactRows, SingularSystem. Offline:
/// dense rank decisions, O(n³).
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out = {},
                                                    const OptimiseOptions& options = {});

/// The same, and the results of the search for its order.
struct SearchedEstimator {
  std::shared_ptr<const EstimatorPlan> plan;  // the plan itself
  std::vector<StrategyResult> strategies;     // as in OptimiseResult
  bool recalled = false;                      // orders that OptimiseOptions::memory had were compared, alone or with others
  std::optional<Flops> deviations;            // operations that deviations take more, where they were counted or kept
};
/// Arguments, errors and cost as plan_estimator's.
SearchedEstimator search_estimator_plan(const System& system, const std::vector<char>& left_out = {},
                                        const OptimiseOptions& options = {});

/// The same of all rows as files keep it (stored_plan), without what only an Estimator needs.
struct SearchedPlan {
  Plan plan;                               // with the orders for samples with gaps
  std::vector<StrategyResult> strategies;  // as in SearchedEstimator
  bool recalled = false;                   // as there
  std::optional<Flops> deviations;         // operations that deviations take more
};
/// Errors as plan_estimator's. Cost: less than search_estimator_plan's, where the choice of an earlier search is taken.
SearchedPlan search_stored_plan(const System& system, const OptimiseOptions& options = {});

/// A plan with additional orders for patterns of gaps.
struct GapSearch {
  std::shared_ptr<const EstimatorPlan> plan;  // with what the patterns need (EstimatorPlan::gaps)
  int served = 0;                             // distinct patterns for which the plan had an accurate order already
  std::vector<std::vector<char>> unserved;    // patterns without an accurate order; samples with them are answered one by one
};
/// Tries each distinct pattern (a flag for each row of the system: missing_rows()) at general states, and searches an order for
/// each pattern for which the plan's own orders are not accurate. Cost: a trial each, and a search (as plan_estimator) for each
/// such pattern.
GapSearch plan_gaps(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                    const std::vector<std::vector<char>>& patterns, const OptimiseOptions& options = {});

/// The cost of a plan, for the requested outputs.
enum class Cost {
  executed,  // assembly, factorisation and solve as the Solver executes them
  folded     // the generated program: constants folded, equal values computed once, unneeded operations left out.
             // std::invalid_argument where the library was built without the component codegen
};

/// A strategy's order in one formulation.
struct PricedOrder {
  StrategyResult order;                   // with its strategy and health
  std::optional<OperationCounts> folded;  // none unless it was asked for, or where recording is not worth it
  long cost;                              // mul, add, div and sqrt
};

/// The result of the search in one formulation.
struct FormulationResult {
  Formulation formulation;               // the one searched
  std::string misfit;                    // why it does not support this robot, set and outputs; empty: it does
  std::shared_ptr<const System> system;  // this and the rest only if it supports them
  OperationCounts assembly;              // what System::assemble executes
  std::vector<PricedOrder> orders;       // cheapest first
  Plan plan;                             // the cheapest healthy one of these; without one, the least backward error
  long cost = 0;                         // of the plan
};

/// Searches orders in each formulation, as `optimise` does. The first result is the recommended one: the cheapest healthy one,
/// or else the one with the least backward error. Unsuitable formulations come last. Throws as `optimise` does. Time: that of
/// `optimise` for each. Folded costs record every healthy order of a reasonable size (up to `most_folded` operations executed,
/// and twice the cheapest order's).
std::vector<FormulationResult> compare_formulations(const Model& model, const SensorSet& sensors,
                                                    const std::vector<Formulation>& formulations, Cost cost,
                                                    const OptimiseOptions& options = {});

}  // namespace sparsedyn
