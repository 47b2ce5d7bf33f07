// Two bodies on a joint share some inertial parameters; this says which body keeps them.
#pragma once

#include <vector>

#include "minimal_tree.hpp"
#include "sized.hpp"

namespace sparsedyn {

/// Mass and size (trace of the second moments about the body's own origin) of what hangs below each joint.
struct Weight {
  double mass, size;
};
/// own: the bodies' inertias in the tree's frames.
std::vector<Weight> weights(const MinimalTree& tree, std::vector<Inertia<double>> own);

/// Moves in `inertia`, given the bodies' own for the tree's, all that a body shares with its parent to the parent.
void move_to_parents(const MinimalTree& tree, std::vector<Inertia<Sized>>& inertia);

/// Does the same in `moved`, which starts as the bodies' own, with two exceptions: a mass on a revolute joint's axis stays with
/// the body where this makes the parent's h_x vanish, and a Σ_zz where it makes the parent's Σ_yz vanish. An inverse dynamics
/// saves more by these zeros.
void balance_parents(const MinimalTree& tree, std::vector<Inertia<Sized>>& moved);

/// Gives or takes one share in `moved`.
void give_to_parent(const MinimalTree& tree, const AxisShare& share, std::vector<Inertia<Sized>>& moved);

/// Shares of a body by which a number of its own or of its parent's would vanish, or two second moments on a diagonal would be
/// equal. None is larger than the largest number in the tree, or much larger than what hangs below the parent's joint: that
/// would cost digits.
std::vector<AxisShare> shares_worth_trying(const MinimalTree& tree, int body, const Weight& below_parent);

}  // namespace sparsedyn
