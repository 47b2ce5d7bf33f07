// A MinimalTree at q: how each body's axes lie in its parent's, and its constants in those axes.
#pragma once

#include <cmath>
#include <vector>

#include "model/axial.hpp"
#include "sparsedyn/codegen/expr.hpp"

namespace sparsedyn {

inline bool is_number(const Expr& x) { return Recording::graph().is_constant(x.ref()); }

/// From the parent's axes: turn about z by `before`, about x by alpha, shift, turn about z by `turn`. The axes are the leader's
/// where bodies share them; `own` is the turn about z from these to the body's own.
template <class S>
struct MinimalPose {
  Turn<S> before;
  Turn<double> alpha;
  Turn<S> turn, own;
  Vec3<S> shift;              // of the origin, in axes turned by `before` and alpha
  Vec3<S> origin;             // the same in the parent's axes
  bool shares_axes;           // with the parent, up to a half turn about x
  Inertia<S> inertia, moved;  // in the axes
};

/// Constants of a body, in the axes.
template <class S>
Inertia<S> in_axes(const Turn<S>& own, const Inertia<double>& body) {
  return with_inertia<S>(body, [&](const auto& I) { return Inertia<S>{S(I.m), turn_z(own, I.h), turn_z(own, I.moments)}; });
}

/// A sum of joint coordinates and a constant.
template <class S>
struct MinimalAngle {
  S sum;
  double offset;
};
template <class S>
MinimalAngle<S> operator+(const MinimalAngle<S>& a, const MinimalAngle<S>& b) {
  return {a.sum + b.sum, a.offset + b.offset};
}
template <class S>
MinimalAngle<S> operator-(const MinimalAngle<S>& a, const MinimalAngle<S>& b) {
  return {a.sum - b.sum, a.offset - b.offset};
}

/// A constant of quarter turns costs nothing.
template <class S>
Turn<S> turn_by(const MinimalAngle<S>& angle) {
  using std::cos;
  using std::sin;
  const Turn<double> fixed = constant_turn(angle.offset);
  if (fixed.c == 0.0 || fixed.s == 0.0) {
    const S c = cos(angle.sum), s = sin(angle.sum);
    return {fixed.c * c - fixed.s * s, fixed.s * c + fixed.c * s};
  }
  const S sum = angle.sum + angle.offset;
  return {cos(sum), sin(sum)};
}

template <class S>
MinimalAngle<S> joint_angle(const MinimalBody& b, const S* q) {
  if (!b.turns) return {S(0.0), 0.0};
  return {b.joint == BodyJoint::revolute ? q[b.q] : S(0.0), b.offset};
}

/// Whether the axes of body i are those of its parent, up to a half turn about x.
inline bool shares_parents_axes(const MinimalTree& tree, const MinimalBody& b) {
  return b.parent >= 0 && tree.bodies[b.parent].leader == b.leader;
}

/// For each body the angle from its axes to its own: none at a leader; across a joint it grows by the joint's. A half turn
/// about x between the two (alpha.c = −1) turns the parent's about.
template <class S>
std::vector<MinimalAngle<S>> angles_to_leaders(const MinimalTree& tree, const S* q) {
  const std::size_t n = tree.bodies.size();
  std::vector<MinimalAngle<S>> angle(n, {S(0.0), 0.0});
  std::vector<bool> known(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.bodies[i].leader != static_cast<int>(i)) continue;
    known[i] = true;
    for (int k = static_cast<int>(i); shares_parents_axes(tree, tree.bodies[k]); k = tree.bodies[k].parent) {
      const MinimalBody& b = tree.bodies[k];
      const MinimalAngle<S> joint = joint_angle(b, q);
      angle[b.parent] = b.alpha.c > 0 ? angle[k] - joint : joint - angle[k];
      known[b.parent] = true;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const MinimalBody& b = tree.bodies[i];
    if (known[i]) continue;
    const MinimalAngle<S> joint = joint_angle(b, q);
    angle[i] = b.alpha.c > 0 ? joint + angle[b.parent] : joint - angle[b.parent];
  }
  return angle;
}

/// q in the tree's unit of length.
template <class S>
std::vector<MinimalPose<S>> minimal_poses(const MinimalTree& tree, const S* q) {
  const S one(1.0), o(0.0);
  const std::vector<MinimalAngle<S>> to_leader = angles_to_leaders(tree, q);
  std::vector<MinimalPose<S>> poses;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MinimalBody& b = tree.bodies[i];
    MinimalPose<S> x{
        {S(b.beta.c), S(b.beta.s)},   b.alpha, {one, o}, turn_by(to_leader[i]), cast<S>(b.shift), cast<S>(b.origin),
        shares_parents_axes(tree, b), {},      {}};
    const bool parent_turned = b.parent >= 0 && tree.bodies[b.parent].leader != b.parent;
    if (parent_turned) x.origin = turn_z(turn_by(to_leader[b.parent]), b.origin);
    if (x.shares_axes) {
      x.shift = turn_back_x(b.alpha, x.origin);
    } else {
      if (parent_turned) x.before = turn_by(to_leader[b.parent] + MinimalAngle<S>{o, std::atan2(b.beta.s, b.beta.c)});
      x.turn = turn_by(joint_angle(b, q) - to_leader[i]);
    }
    if (b.joint == BodyJoint::prismatic) {
      x.shift[2] = x.shift[2] + q[b.q];
      x.origin = from_joint(x, x.shift);
    }
    x.inertia = in_axes(x.own, b.inertia);
    x.moved = in_axes(x.own, b.moved);
    poses.push_back(x);
  }
  return poses;
}

}  // namespace sparsedyn
