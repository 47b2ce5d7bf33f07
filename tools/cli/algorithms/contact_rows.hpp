// What the algorithms under constraints have in common.
#pragma once

#include <string>

#include "cli/support/algorithm.hpp"
#include "dynamics/beyond_limits.hpp"

namespace sparsedyn::cli {

/// `what`, in how many rows and of which torques; empty where none is beyond its limit.
std::string beyond_text(const BeyondLimits& beyond, const Model& model, const char* what);

/// An algorithm that needs --constraints, which make it `constrained`.
ComputedAlgorithm needing_constraints(const char* name, const char* summary, const AlgorithmReads& reads,
                                      ComputedAlgorithm (*constrained)(const ConstraintSet&, const ConstraintOptions&));

}  // namespace sparsedyn::cli
