// Sums over sets of lanes, such as all bodies below each: a vector is permuted and added to itself a few times.
#pragma once

#include <array>
#include <vector>

#include "row_program.hpp"

namespace sparsedyn {

/// Lanes as bits, for each lane.
using LaneSets = std::array<unsigned, RowProgram::lanes>;

/// The fewest steps after which each lane holds the sum of its set. A set holds the lane itself and all lanes below it in a
/// tree, so the set of every other lane in it lies inside it. A chain of eight takes three steps.
std::vector<LaneStep> lane_sums(const LaneSets& sets);

}  // namespace sparsedyn
