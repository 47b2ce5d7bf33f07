// Branches of the tree that are built alike: legs, arms. A robot whose equal branches have changed places is the same robot to
// every algorithm but for its numbers.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Branches on one body with the same joints, placements apart. Bodies of a branch are numbered in a row.
struct IsomorphicSubtrees {
  std::vector<int> first;  // the first body of each
  int bodies;              // in each
};

/// As many equal branches on one body as `many`, wherever these are; none of them lies in another.
std::vector<IsomorphicSubtrees> isomorphic_subtrees(const Model& model, int many);

/// The robot in which each branch stands at the place, in the numbering, of the one `by` before it. Its links keep their
/// bodies' numbers of before and mean nothing.
Model changed_places(const Model& model, const std::vector<IsomorphicSubtrees>& branches, int by);

}  // namespace sparsedyn
