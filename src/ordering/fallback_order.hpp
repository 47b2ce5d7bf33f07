#pragma once

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

/// The `count` states at which a plan's backward error is largest, the worst first.
Samples weakest_states(const Plan& plan, const Samples& samples, int count);

/// The order that is most accurate where `plan` is weakest: of `others`, and of greedy searches that judge pivots at those very
/// states. None where no order is more accurate there than the plan's own.
std::optional<Candidate> fallback_order(const OrderingProblem& problem, const Plan& plan, std::vector<Candidate> others);

}  // namespace sparsedyn
