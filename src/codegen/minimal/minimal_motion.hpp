// Base to tips on a MinimalTree: motions, and what each body's own inertia asks for.
#pragma once

#include <vector>

#include "minimal_pose.hpp"
#include "sparsedyn/dynamics/detail/forward_pass.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {

/// Per body: where it is, its motion and its inertial wrench in its axes.
template <class S>
struct MinimalMotion {
  std::vector<MinimalPose<S>> pose;
  std::vector<BodyMotion<S>> motion;
  std::vector<Force<S>> force;
};

/// The base moves with velocity (ω, v) and acceleration (α, a) in its axes; −g in them is Rᵀ (−g).
template <class S>
BodyMotion<S> floating_motion(const MinimalTree& tree, const MinimalBody& b, const S* q, const S* v, const S* a) {
  const Mat3<S> R = rotation_from_quaternion(q + b.q + 3);
  const S* x = v + b.v;
  const Vec3<S> w{{x[0], x[1], x[2]}}, linear{{x[3], x[4], x[5]}};
  Vec3<S> al = zero3<S>(), acceleration = cross(w, linear) - transposed_times(R, tree.gravity);
  if (a) {
    const S* y = a + b.v;
    al = {{y[0], y[1], y[2]}};
    acceleration += Vec3<S>{{y[3], y[4], y[5]}};
  }
  return {w, al, acceleration, acceleration_gradient(w, al)};
}

/// U after a half turn about x, where alpha.c = −1.
template <class S>
Mat3<S> turned_about(const Turn<double>& alpha, Mat3<S> U) {
  if (alpha.c < 0)
    for (int k = 1; k < 3; ++k) U(0, k) = -U(0, k), U(k, 0) = -U(k, 0);
  return U;
}

/// A revolute joint's motion in axes that it shares with its parent. U e_z is the second derivative of the axis, the same for
/// both; of the rest, only what v and the acceleration bring is new.
template <class S>
BodyMotion<S> motion_in_shared_axes(const MinimalPose<S>& x, const BodyMotion<S>& parent, const S& v, const S& acceleration) {
  const Vec3<S> wp = to_joint(x, parent.w), alp = to_joint(x, parent.al);
  const Vec3<S> w{{wp[0], wp[1], wp[2] + v}};
  const Vec3<S> al{{alp[0] + wp[1] * v, alp[1] - wp[0] * v, alp[2] + acceleration}};
  Mat3<S> U = turned_about(x.alpha, parent.U);
  const S squares = v * (wp[2] + w[2]), v2 = v + v;
  U(0, 0) = U(0, 0) - squares, U(1, 1) = U(1, 1) - squares;
  U(0, 1) = U(0, 1) - acceleration, U(1, 0) = U(1, 0) + acceleration;
  U(2, 0) = U(2, 0) + v2 * wp[0], U(2, 1) = U(2, 1) + v2 * wp[1];
  return {w, al, to_joint(x, parent.a + parent.U * x.origin), U};
}

/// Of a body on a revolute joint, from its parent's: body_motion of the recursive algorithms along axial screws. `with_child`:
/// the shift along the axis is taken with U e_z of the body.
template <class S>
BodyMotion<S> revolute_motion(bool with_child, const MinimalPose<S>& x, const BodyMotion<S>& parent, const S& v,
                              const S& acceleration) {
  const auto down = [&](const Vec3<S>& y) { return turn_back_z(x.turn, to_joint(x, y)); };
  const Vec3<S> wp = down(parent.w), alp = down(parent.al);
  const Vec3<S> w{{wp[0], wp[1], wp[2] + v}};
  const Vec3<S> al{{alp[0] + wp[1] * v, alp[1] - wp[0] * v, alp[2] + acceleration}};
  const Mat3<S> U = acceleration_gradient(w, al);
  if (!with_child) return {w, al, down(parent.a + parent.U * x.origin), U};
  const Vec3<S> before = from_joint(x, Vec3<S>{{x.shift[0], x.shift[1], S(0.0)}});
  return {w, al, down(parent.a + parent.U * before) + x.shift[2] * Vec3<S>{{U(0, 2), U(1, 2), U(2, 2)}}, U};
}

/// Of a body on a prismatic joint; Coriolis: 2 ω × v e_z.
template <class S>
BodyMotion<S> prismatic_motion(const MinimalPose<S>& x, const BodyMotion<S>& parent, const S& v, const S& acceleration) {
  const auto down = [&](const Vec3<S>& y) { return turn_back_z(x.turn, to_joint(x, y)); };
  const Vec3<S> w = down(parent.w), al = down(parent.al);
  const Mat3<S> U = acceleration_gradient(w, al);
  const Vec3<S> a = down(parent.a) + U * turn_back_z(x.turn, x.shift);
  const S v2 = v + v;
  return {w, al, {{a[0] + w[1] * v2, a[1] - w[0] * v2, a[2] + acceleration}}, U};
}

template <class S>
BodyMotion<S> minimal_motion(const MinimalBody& b, const MinimalPose<S>& x, const BodyMotion<S>& parent, const S& v,
                             const S& acceleration) {
  if (b.joint == BodyJoint::prismatic) return prismatic_motion(x, parent, v, acceleration);
  return x.shares_axes ? motion_in_shared_axes(x, parent, v, acceleration)
                       : revolute_motion(b.shift_with_child, x, parent, v, acceleration);
}

/// Entries that are lengths: prismatic coordinates (positions of a floating root do not matter).
template <class S>
std::vector<S> coordinates_in_unit(const MinimalTree& tree, const S* q) {
  std::vector<S> x(q, q + tree.nq);
  for (const MinimalBody& b : tree.bodies)
    if (b.joint == BodyJoint::prismatic) x[b.q] = (1 / tree.unit) * x[b.q];
  return x;
}

/// Linear freedoms times `factor`: 1 / unit turns m/s and m/s² into the tree's units and its forces into N, unit the other way
/// round.
template <class S>
std::vector<S> linear_scaled(const MinimalTree& tree, const S* x, double factor) {
  std::vector<S> y(x, x + tree.nv);
  for (const MinimalBody& b : tree.bodies) {
    if (b.joint == BodyJoint::prismatic) y[b.v] = factor * y[b.v];
    if (b.joint == BodyJoint::floating)
      for (int k = 3; k < 6; ++k) y[b.v + k] = factor * y[b.v + k];
  }
  return y;
}

/// In the tree's units. a: nv, or nullptr for zero; fx: the world's wrench on each body in its frame of the tree, or nullptr.
template <class S>
MinimalMotion<S> minimal_forward_pass(const MinimalTree& tree, const S* q, const S* v, const S* a, const Force<S>* fx) {
  MinimalMotion<S> m;
  m.pose = minimal_poses(tree, q);
  BodyMotion<S> world{zero3<S>(), zero3<S>(), -cast<S>(tree.gravity), {}};
  for (int k = 0; k < 9; ++k) world.U(k / 3, k % 3) = S(0.0);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MinimalBody& b = tree.bodies[i];
    const MinimalPose<S>& x = m.pose[i];
    if (b.joint == BodyJoint::floating)
      m.motion.push_back(floating_motion(tree, b, q, v, a));
    else
      m.motion.push_back(minimal_motion(b, x, b.parent < 0 ? world : m.motion[b.parent], v[b.v], a ? a[b.v] : S(0.0)));
    m.force.push_back(inertial_wrench(x.moved, m.motion[i]));
    if (fx) m.force[i] = m.force[i] - Force<S>{turn_z(x.own, fx[i].n), turn_z(x.own, fx[i].f)};
  }
  return m;
}

/// A wrench about the body's origin in its axes, about the parent's origin in the parent's.
template <class S>
Force<S> minimal_to_parent(const MinimalPose<S>& x, const Force<S>& wrench) {
  const Vec3<S> f = turn_z(x.turn, wrench.f);
  return {from_joint(x, turn_z(x.turn, wrench.n) + cross(x.shift, f)), from_joint(x, f)};
}

}  // namespace sparsedyn
