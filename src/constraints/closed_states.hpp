// States at which the hard loops of a set are closed and say as much as anywhere: plans are judged at these, since numbers of
// open loops are of no motion that exists.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct ClosedStates {
  std::vector<std::vector<double>> q;  // nq numbers each, in the order in which they were given
  int random = 0;                      // how many of the first `random` are among them
  int open = 0;                        // states near which no posture closes the loops
  std::string why;                     // of the first of these, as LoopProjection::describe
  bool closed = true;  // otherwise no regular posture closes the loops, and q holds the states as they were given
  /// "", or which states were left out.
  std::string left_out() const;
};

/// Moves the states onto the loops of the set's hard constraints; leaves out those that no step closes, and those at which
/// the rows say less than elsewhere, or hold less of what moves no mass (to 1e-6): there the equations are singular, whatever
/// the order. Without
/// hard constraints the states stay as they are. Throws as ConstrainedDynamics does. Cost: a few factors of M a state.
ClosedStates closed_states(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>> q, int random);

}  // namespace sparsedyn
