// From a robot and a sensor set that knows more, or less, than the dynamics need, to a plan for the Estimator.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"

namespace sparsedyn {

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

}  // namespace sparsedyn
