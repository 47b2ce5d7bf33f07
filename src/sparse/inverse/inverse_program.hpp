// The sweep for entries of an inverse as a straight-line program on the cells that the factorisation of a plan has left, behind
// which it has cells of its own. Replayed as the plan is, for any number that a plan can be replayed with: without a search, a
// branch on a value, or the heap.
#pragma once

#include <vector>

#include "sparse/inverse/inverse_entries.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

struct InverseProgram {
  /// What the sweep reads may be among what the plan's outputs left out: plan.program.complete then comes first.
  bool needs_complete = false;
  Schedule sweep;       // after plan.program.factor
  int cells = 0;        // length of the array: plan.program.cells and those of the sweep
  std::vector<int> at;  // the cell of each entry wanted, or -1 where the entry is zero at every state
};

/// Throws nothing that the plan did not throw. Cost: time and memory proportional to the flops of the sweep.
InverseProgram inverse_program(const Plan& plan, const std::vector<InverseEntry>& wanted);

}  // namespace sparsedyn
