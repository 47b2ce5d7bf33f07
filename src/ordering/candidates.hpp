#pragma once

#include <limits>

#include "core_problem.hpp"

namespace sparsedyn {

/// What is known beforehand, then what every strategy proposes, each order once a strategy.
std::vector<Candidate> all_candidates(const OrderingProblem& problem, const CoreProblem& core, const OptimiseOptions& options);

/// Those that cost no more than `most`, the cheapest first. Left out are orders with a structurally zero pivot, which a
/// strategy that looks at numbers of one state may propose.
std::vector<Candidate> cheapest_first(const OrderingProblem& problem, const std::vector<Candidate>& candidates,
                                      long most = std::numeric_limits<long>::max());

}  // namespace sparsedyn
