// Which of the inertial parameters that bodies on a joint share are whose.
#pragma once

#include <vector>

#include "minimal_tree.hpp"

namespace sparsedyn {

/// Mass and size (trace of the second moments about the body's own origin) of what hangs below each joint.
struct Weight {
  double mass, size;
};
std::vector<Weight> weights(const MinimalTree& tree);

/// `inertia`: what a body shares with its parent is the parent's.
void move_to_parents(MinimalTree& tree);

/// `moved`, which starts as the bodies' own: as `inertia`, but a mass on a revolute joint's axis stays where it makes the
/// parent's h_x vanish, and a Σ_zz where it makes the parent's Σ_yz vanish: these cost an inverse dynamics more.
void balance_parents(MinimalTree& tree);

/// In `moved`.
void give_to_parent(MinimalTree& tree, const AxisShare& share);

/// Shares of a body by which a number of its own or of its parent's would vanish, or two second moments on a diagonal would be
/// equal. None is larger than the largest number in the tree: that would cost digits.
std::vector<AxisShare> shares_worth_trying(const MinimalTree& tree, int body);

}  // namespace sparsedyn
