// What a body's joint does to q and v: pose in the parent, velocity S v, and force Sᵀ f. Scalar-generic, heap-free.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/spatial/detail/sin_cos.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// True where freedom c of the joint shifts its body without turning it.
constexpr bool is_shift(BodyJoint joint, int c) {
  switch (joint) {
    case BodyJoint::prismatic: return true;
    case BodyJoint::planar: return c < 2;
    case BodyJoint::floating: return c >= 3;
    default: return false;
  }
}

/// Rotation of a unit quaternion (x, y, z, w), child to parent.
template <class S>
Mat3<S> rotation_from_quaternion(const S* u) {
  const S x2 = u[0] + u[0], y2 = u[1] + u[1], z2 = u[2] + u[2];
  const S xx = x2 * u[0], xy = x2 * u[1], xz = x2 * u[2], yy = y2 * u[1], yz = y2 * u[2], zz = z2 * u[2];
  const S wx = x2 * u[3], wy = y2 * u[3], wz = z2 * u[3];
  const Constant<S> one(1);
  return {{{one - (yy + zz), xy - wz, xz + wy}, {xy + wz, one - (xx + zz), yz - wx}, {xz - wy, yz + wx, one - (xx + yy)}}};
}

/// R Rz(angle): 12 products.
template <class S>
Mat3<S> turned_about_z(const Mat3<Constant<S>>& R, const S& angle) {
  const auto [s, c] = sin_cos(angle);
  Mat3<S> T;
  for (int i = 0; i < 3; ++i) {
    T(i, 0) = R(i, 0) * c + R(i, 1) * s;
    T(i, 1) = R(i, 1) * c - R(i, 0) * s;
    T(i, 2) = S(R(i, 2));
  }
  return T;
}

/// The body's frame in its parent's body frame. q: the whole coordinate vector (nq).
template <class S>
Pose<S> joint_pose(const Body& body, const S* q_all) {
  const S* q = q_all + body.q;
  using C = Constant<S>;
  const Mat3<C> R = cast<C>(body.placement.R);
  const Vec3<C> d = cast<C>(body.placement.d);
  const auto along = [&](int k, const S& x) { return Vec3<S>{{R(0, k) * x, R(1, k) * x, R(2, k) * x}}; };
  switch (body.joint) {
    case BodyJoint::revolute: return {turned_about_z<S>(R, q[0]), cast<S>(d)};
    case BodyJoint::prismatic: return {cast<S>(R), d + along(2, q[0])};
    case BodyJoint::helical: return {turned_about_z<S>(R, q[0]), d + along(2, C(body.pitch) * q[0])};
    case BodyJoint::planar: return {turned_about_z<S>(R, q[2]), d + along(0, q[0]) + along(1, q[1])};
    case BodyJoint::spherical: return {R * rotation_from_quaternion(q), cast<S>(d)};
    case BodyJoint::fixed: return {cast<S>(R), cast<S>(d)};
    case BodyJoint::floating: break;
  }
  return {R * rotation_from_quaternion(q + 3), d + R * Vec3<S>{{q[0], q[1], q[2]}}};
}

/// S x: the motion, in the body's frame, that the joint's entries of x (nv) stand for.
template <class S>
Motion<S> joint_motion(const Body& body, const S* x_all) {
  const S* x = x_all + body.v;
  const S o(0.0);
  switch (body.joint) {
    case BodyJoint::revolute: return {{{o, o, x[0]}}, {{o, o, o}}};
    case BodyJoint::prismatic: return {{{o, o, o}}, {{o, o, x[0]}}};
    case BodyJoint::helical: return {{{o, o, x[0]}}, {{o, o, Constant<S>(body.pitch) * x[0]}}};
    case BodyJoint::spherical: return {{{x[0], x[1], x[2]}}, {{o, o, o}}};
    case BodyJoint::planar: return {{{o, o, x[2]}}, {{x[0], x[1], o}}};
    case BodyJoint::fixed: return {zero3<S>(), zero3<S>()};
    case BodyJoint::floating: break;
  }
  return {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
}

/// Sᵀ f: as many numbers as the joint has freedoms.
template <class S>
void force_on_freedoms(const Body& body, const Force<S>& f, S* tau) {
  switch (body.joint) {
    case BodyJoint::revolute: tau[0] = f.n[2]; return;
    case BodyJoint::prismatic: tau[0] = f.f[2]; return;
    case BodyJoint::helical: tau[0] = f.n[2] + Constant<S>(body.pitch) * f.f[2]; return;
    case BodyJoint::planar: tau[0] = f.f[0], tau[1] = f.f[1], tau[2] = f.n[2]; return;
    case BodyJoint::fixed: return;
    case BodyJoint::spherical:
    case BodyJoint::floating: break;
  }
  for (int k = 0; k < 3; ++k) tau[k] = f.n[k];
  if (body.joint == BodyJoint::floating)
    for (int k = 0; k < 3; ++k) tau[3 + k] = f.f[k];
}

/// Sᵀ f, written to the joint's entries of tau (nv).
template <class S>
void joint_force(const Body& body, const Force<S>& f, S* tau_all) {
  force_on_freedoms(body, f, tau_all + body.v);
}

/// Column k of S.
inline Motion<double> motion_subspace(const Body& body, int k) {
  Body first = body;
  first.v = 0;
  double unit[6] = {0, 0, 0, 0, 0, 0};
  unit[k] = 1;
  return joint_motion(first, unit);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
