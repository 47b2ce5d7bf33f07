// Which of the inertial parameters that bodies on a joint share are whose.
#pragma once

#include "sparsedyn/program/lean_tree.hpp"

namespace sparsedyn {

/// `inertia`: what a body shares with its parent is the parent's.
void move_to_parents(LeanTree& tree);

/// `moved`, which starts as the bodies' own: as `inertia`, but a mass on a revolute joint's axis stays where it makes the
/// parent's h_x vanish, and a Σ_zz where it makes the parent's Σ_yz vanish: these cost an inverse dynamics more.
void balance_parents(LeanTree& tree);

}  // namespace sparsedyn
