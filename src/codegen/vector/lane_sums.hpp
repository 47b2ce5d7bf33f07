// Sums over sets of lanes, such as all bodies below each: a vector is permuted and added to itself a few times.
#pragma once

#include <array>
#include <vector>

#include "row_program.hpp"

namespace sparsedyn {

/// Lanes as bits, for each lane.
using LaneSets = std::array<unsigned, RowProgram::lanes>;

/// The fewest steps in which each lane comes to sum its set: those of a branch's ends in a tree, itself among them, so that
/// each other lane of a set has a smaller one inside it. Three for a chain of eight.
std::vector<LaneStep> lane_sums(const LaneSets& sets);

}  // namespace sparsedyn
