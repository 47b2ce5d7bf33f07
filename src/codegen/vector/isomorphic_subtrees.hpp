// Branches of the tree that are built alike, such as legs or arms. Where two of them change places, an algorithm does the same
// operations on other numbers.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Branches on one body with the same joints, placements apart. Bodies of a branch are numbered in a row.
struct IsomorphicSubtrees {
  std::vector<int> first;  // the first body of each
  int bodies;              // in each
};

/// Groups of `many` isomorphic branches that hang on one body each. No branch lies inside another.
std::vector<IsomorphicSubtrees> isomorphic_subtrees(const Model& model, int many);

/// The robot with its branches renumbered: each takes the numbers of the branch `by` places before it in its group. Links keep
/// the old numbers of their bodies, so they mean nothing here.
Model changed_places(const Model& model, const std::vector<IsomorphicSubtrees>& branches, int by);

}  // namespace sparsedyn
