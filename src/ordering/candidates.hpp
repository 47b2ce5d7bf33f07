#pragma once

#include "core_problem.hpp"

namespace sparsedyn {

/// What is known beforehand, then what every strategy proposes, each order once a strategy.
std::vector<Candidate> all_candidates(const OrderingProblem& problem, const CoreProblem& core, const OptimiseOptions& options);

}  // namespace sparsedyn
