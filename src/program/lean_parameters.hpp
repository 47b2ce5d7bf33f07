// Which of the inertial parameters that bodies on a joint share are whose.
#pragma once

#include <vector>

#include "sized.hpp"
#include "sparsedyn/program/lean_tree.hpp"

namespace sparsedyn {

/// Mass and size (trace of the second moments about the body's own origin) of what hangs below each joint.
struct Weight {
  double mass, size;
};
/// own: the bodies' inertias in the tree's frames.
std::vector<Weight> weights(const LeanTree& tree, std::vector<Inertia<double>> own);

/// For the tree's `inertia`, given the bodies' own: what a body shares with its parent is the parent's.
void move_to_parents(const LeanTree& tree, std::vector<Inertia<Sized>>& inertia);

/// For the tree's `moved`, given the bodies' own: the same, but a mass on a revolute joint's axis stays where it makes the
/// parent's h_x vanish, and a Σ_zz where it makes the parent's Σ_yz vanish: these cost an inverse dynamics more.
void balance_parents(const LeanTree& tree, std::vector<Inertia<Sized>>& moved);

void give_to_parent(const LeanTree& tree, const AxisShare& share, std::vector<Inertia<Sized>>& moved);

/// Shares of a body by which a number of its own or of its parent's would vanish, or two second moments on a diagonal would be
/// equal. None is larger than the largest number in the tree, or much larger than what hangs below the parent's joint: that
/// would cost digits.
std::vector<AxisShare> shares_worth_trying(const LeanTree& tree, int body, const Weight& below_parent);

}  // namespace sparsedyn
