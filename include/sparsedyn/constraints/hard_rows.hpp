// What hard constraints take from a robot's freedoms, and which of their rows say nothing new.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of the rows of connect, weld and joint constraints that are hard.
struct HardRows {
  int rows = 0;                        // all of them
  int rank = 0;                        // the best over the states that were tried
  int freedoms = 0;                    // nv − rank
  std::vector<std::string> redundant;  // rows that follow from those before them at every state, `rod.y`
};

/// Tries the zero posture and 20 random ones (the same in every run). Ranks after rows are scaled to one; 1e-9 counts as zero.
/// Throws std::invalid_argument as ConstrainedDynamics does.
HardRows hard_rows(const Model& model, const ConstraintSet& set);

}  // namespace sparsedyn
