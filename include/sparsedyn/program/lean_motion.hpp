// Base to tips on a LeanTree: turns, motions, and what each body's own inertia asks for.
#pragma once

#include <vector>

#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/program/axial.hpp"
#include "sparsedyn/recursive/forward_pass.hpp"

namespace sparsedyn {

/// Per body: the joint's turn (about z, theta0 included) and the motion and inertial wrench in the body's axes.
template <class S>
struct LeanMotion {
  std::vector<Turn<S>> turn;
  std::vector<BodyMotion<S>> motion;
  std::vector<Force<S>> force;
};

/// cos and sin of theta0 + q. A theta0 of quarter turns costs nothing.
template <class S>
Turn<S> joint_turn(const LeanBody& b, const S& q) {
  using std::cos;
  using std::sin;
  if (b.joint != BodyJoint::revolute) return {S(b.theta0.c), S(b.theta0.s)};
  if (b.theta0.c == 0.0 || b.theta0.s == 0.0) {
    const S c = cos(q), s = sin(q);
    return {b.theta0.c * c - b.theta0.s * s, b.theta0.s * c + b.theta0.c * s};
  }
  const S angle = q + b.offset;
  return {cos(angle), sin(angle)};
}

template <class S>
std::vector<Turn<S>> joint_turns(const LeanTree& tree, const S* q) {
  std::vector<Turn<S>> turns;
  for (const LeanBody& b : tree.bodies) turns.push_back(joint_turn(b, q[b.q]));
  return turns;
}

/// The base moves with velocity (ω, v) and acceleration (α, a) in its axes; −g in them is Rᵀ (−g).
template <class S>
BodyMotion<S> floating_motion(const LeanTree& tree, const LeanBody& b, const S* q, const S* v, const S* a) {
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

/// Of a body on a revolute or prismatic joint, from its parent's: body_motion of the recursive algorithms along axial screws.
template <class S>
BodyMotion<S> lean_motion(const LeanBody& b, const Turn<S>& turn, const BodyMotion<S>& parent, const S& q, const S& v,
                          const S& acceleration) {
  const Vec3<S> wp = turn_back_z(turn, to_joint(b, parent.w)), alp = turn_back_z(turn, to_joint(b, parent.al));
  const Vec3<S> ap = turn_back_z(turn, to_joint(b, parent.a + parent.U * b.origin));
  if (b.joint == BodyJoint::revolute) {
    const Vec3<S> w{{wp[0], wp[1], wp[2] + v}};
    const Vec3<S> al{{alp[0] + wp[1] * v, alp[1] - wp[0] * v, alp[2] + acceleration}};
    return {w, al, ap, acceleration_gradient(w, al)};
  }
  const Mat3<S> U = acceleration_gradient(wp, alp);
  const S v2 = v + v;  // Coriolis: 2 ω × v e_z
  const Vec3<S> a{{ap[0] + U(0, 2) * q + wp[1] * v2, ap[1] + U(1, 2) * q - wp[0] * v2, ap[2] + U(2, 2) * q + acceleration}};
  return {wp, alp, a, U};
}

/// Entries that are lengths: prismatic coordinates (positions of a floating root do not matter).
template <class S>
std::vector<S> coordinates_in_unit(const LeanTree& tree, const S* q) {
  std::vector<S> x(q, q + tree.nq);
  for (const LeanBody& b : tree.bodies)
    if (b.joint == BodyJoint::prismatic) x[b.q] = (1 / tree.unit) * x[b.q];
  return x;
}

/// Linear freedoms times `factor`: 1 / unit turns m/s and m/s² into the tree's units and its forces into N, unit the other way
/// round.
template <class S>
std::vector<S> linear_scaled(const LeanTree& tree, const S* x, double factor) {
  std::vector<S> y(x, x + tree.nv);
  for (const LeanBody& b : tree.bodies) {
    if (b.joint == BodyJoint::prismatic) y[b.v] = factor * y[b.v];
    if (b.joint == BodyJoint::floating)
      for (int k = 3; k < 6; ++k) y[b.v + k] = factor * y[b.v + k];
  }
  return y;
}

/// In the tree's units. a: nv, or nullptr for zero; fx: the world's wrench on each body in its frame of the tree, or nullptr.
template <class S>
LeanMotion<S> lean_forward_pass(const LeanTree& tree, const S* q, const S* v, const S* a, const Force<S>* fx) {
  LeanMotion<S> m;
  m.turn = joint_turns(tree, q);
  BodyMotion<S> world{zero3<S>(), zero3<S>(), -cast<S>(tree.gravity), {}};
  for (int k = 0; k < 9; ++k) world.U(k / 3, k % 3) = S(0.0);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const LeanBody& b = tree.bodies[i];
    if (b.joint == BodyJoint::floating)
      m.motion.push_back(floating_motion(tree, b, q, v, a));
    else
      m.motion.push_back(
          lean_motion(b, m.turn[i], b.parent < 0 ? world : m.motion[b.parent], q[b.q], v[b.v], a ? a[b.v] : S(0.0)));
    m.force.push_back(inertial_wrench(b.inertia, m.motion[i]));
    if (fx) m.force[i] = m.force[i] - fx[i];
  }
  return m;
}

/// A wrench about the body's origin in its axes, about the parent's origin in the parent's.
template <class S>
Force<S> lean_to_parent(const LeanBody& b, const Turn<S>& turn, const S& q, const Force<S>& x) {
  Vec3<S> n = x.n;
  if (b.joint == BodyJoint::prismatic) n = n + cross(Vec3<S>{{S(0.0), S(0.0), q}}, x.f);
  const Vec3<S> f = turn_z(turn, x.f);
  return {from_joint(b, turn_z(turn, n) + cross(b.shift, f)), from_joint(b, f)};
}

}  // namespace sparsedyn
