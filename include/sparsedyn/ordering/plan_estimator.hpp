// From a robot and a sensor set that knows more, or less, than the dynamics need, to a plan for the Estimator.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/solve/estimator.hpp"

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

}  // namespace sparsedyn
