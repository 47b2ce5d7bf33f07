// How well a program's divisions are conditioned, as one more of its outputs.
#pragma once

#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// The inputs of a program at one state: a vector for each port.
using ProgramState = std::vector<std::vector<double>>;

/// The program with a last output `health`, the smallest reciprocal growth of its pivots, the numbers d_k that it divides by:
///
///   health = min(1, min_k |d_k| / s_k),   s_k = the largest term, at all `states`, of the sum that d_k is.
///
/// Where cancellation leaves little of a pivot, numbers grow by 1/health and lose as many digits (Wilkinson 1961). The s_k are
/// constants, so that a pivot costs one multiplication and one comparison. Where nothing is divided, health is 1.
/// Throws std::invalid_argument for a state of another shape.
Program with_health(const Program& program, const std::vector<ProgramState>& states);

}  // namespace sparsedyn
