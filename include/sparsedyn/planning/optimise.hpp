// From a robot and its sensor set to a plan.
#pragma once

#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/runtime/system_samples.hpp"

namespace sparsedyn {

/// Compares all strategies and keeps the cheapest healthy order. The plan carries the system's fingerprint.
/// Throws std::invalid_argument for a system that is not square, SingularSystem (which names an unknown).
/// A 30-joint chain takes about a second; time grows with joints × operations.
OptimiseResult optimise(const System& system, const OptimiseOptions& options = {});

}  // namespace sparsedyn
