// Two bodies on a joint share some inertial parameters; this says which body keeps them.
#pragma once

#include <algorithm>
#include <utility>
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

/// Masses m on the axis with first and second moments along it.
template <class S>
Inertia<S> on_axis(const S& m, const S& h, const S& zz) {
  Inertia<S> I = zero_inertia<S>();
  I.m = m, I.h[2] = h, I.moments.zz = zz;
  return I;
}

/// Takes out of a body what lies on its joint's axis; for a prismatic joint, which does not turn, its second moments. Not the
/// numbers that it keeps.
template <class S>
Inertia<S> taken(BodyJoint joint, Inertia<S>& I, const std::vector<SharedNumber>& kept = {}) {
  const auto keeps = [&](SharedNumber number) { return std::find(kept.begin(), kept.end(), number) != kept.end(); };
  Inertia<S> part = zero_inertia<S>();
  if (joint == BodyJoint::floating) return part;
  if (joint == BodyJoint::prismatic) {
    if (!keeps(SharedNumber::moments)) std::swap(part.moments, I.moments);
    return part;
  }
  if (!keeps(SharedNumber::mass)) std::swap(part.m, I.m);
  if (!keeps(SharedNumber::first)) std::swap(part.h[2], I.h[2]);
  if (!keeps(SharedNumber::moments)) std::swap(part.moments.zz, I.moments.zz);
  return part;
}

/// Moves in `inertia`, given the bodies' own for the tree's, all that a body shares with its parent to the parent, but for what
/// is kept.
template <class S>
void move_to_parents(const MinimalTree& tree, const std::vector<std::pair<int, SharedNumber>>& kept,
                     std::vector<Inertia<S>>& inertia) {
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    const MinimalBody& body = tree.bodies[i];
    std::vector<SharedNumber> own;
    for (const auto& [k, number] : kept)
      if (k == static_cast<int>(i)) own.push_back(number);
    const Inertia<S> part = taken(body.joint, inertia[i], own);
    if (body.parent >= 0) inertia[body.parent] = inertia[body.parent] + to_parent(zero_placement(body), part);
  }
}

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
