// From a robot and a sensor set that knows more, or less, than the dynamics need, to a plan for the Estimator.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// Exact rows of which some follow from the others: whatever they read, they can only agree or contradict each other.
struct RedundantExactRows : std::domain_error {
  explicit RedundantExactRows(const System& system, std::vector<int> rows);
  std::vector<int> rows;  // sensor rows that take part, of the system
};

/// The plan for all rows but those flagged in `left_out` (one flag a row of the system, or none), with the set's priors.
/// Unknowns that rows and priors leave open are flagged in the plan; as many of them as it takes get a unit precision, which
/// closes the system and changes nothing that is determined.
/// Throws RedundantExactRows, SingularSystem. Offline: dense rank decisions, O(n³).
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out = {},
                                                    const OptimiseOptions& options = {});

/// The same, and what the search for its order saw.
struct SearchedEstimator {
  std::shared_ptr<const EstimatorPlan> plan;
  std::vector<StrategyResult> strategies;  // as in OptimiseResult
};
SearchedEstimator search_estimator_plan(const System& system, const std::vector<char>& left_out = {},
                                        const OptimiseOptions& options = {});

/// What a stored plan has to fit. The fingerprint covers the system's structure, which rows are exact, and which unknowns have
/// priors; sigmas and the numbers of priors may change.
struct EstimatorShape {
  Augmented augmented;
  UnitEntries unit;
  std::string fingerprint;
};
EstimatorShape estimator_shape(const System& system);
/// The plan for all rows with orders known beforehand, without any search: those of `stored`, which is a plan of the shape's
/// augmented system whose second order, if it has one, is for samples with gaps.
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored);
/// What a file keeps of an estimator's plan: `stored` above.
Plan stored_plan(const EstimatorPlan& plan);

/// The augmented matrices and right-hand sides that an Estimator solves, at `random` random states and all special ones. System
/// and plan must outlive it.
Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random);

}  // namespace sparsedyn
