// From a robot and its sensor set to a plan.
#pragma once

#include <optional>

#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// `random` random states and all special states (see special_states; 200 mixed ones), with random v and y. The system must
/// outlive the result.
Samples samples_of(const System& system, int random = 500, unsigned seed = 1);

/// The plan of the recursive order with its health sampled; none where there is no such order. Needs no SuiteSparse.
/// Throws SingularSystem, which names an unknown.
std::optional<Plan> recursive_plan(const System& system);

/// Compares all strategies and keeps the cheapest healthy order. The plan carries the system's fingerprint.
/// Throws std::invalid_argument for a system that is not square, SingularSystem (which names an unknown).
/// A 30-joint chain takes about a second; time grows with joints × operations.
OptimiseResult optimise(const System& system, const OptimiseOptions& options = {});

}  // namespace sparsedyn
