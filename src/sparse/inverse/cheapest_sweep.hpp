// Which entries of an inverse are cheaper by the sweep than by solves of their own.
#pragma once

#include <vector>

#include "sparse/inverse/inverse_entries.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

/// Entries that one solve would give together.
using EntryGroup = std::vector<InverseEntry>;

/// A flag for each group: leave it to the sweep. A group that alone asks for more operations than a solve takes is left to its
/// solve, and all groups are where the sweep of the rest costs more than their solves. Cost: that of a few sweeps.
std::vector<char> worth_sweeping(const Plan& plan, const std::vector<EntryGroup>& groups);

}  // namespace sparsedyn
