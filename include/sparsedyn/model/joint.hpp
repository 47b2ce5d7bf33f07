// What a body's joint does to q and v: pose in the parent, velocity S v, and force Sᵀ f. Scalar-generic, heap-free.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// True where freedom c of the joint shifts its body without turning it.
constexpr bool is_shift(BodyJoint joint, int c) { return freedom_of(joint, c).axis >= 3; }

/// The body's frame in its parent's body frame. q: the whole coordinate vector (nq).
template <class S>
Pose<S> joint_pose(const Body& body, const S* q_all) {
  using C = Constant<S>;
  const Mat3<C> R = cast<C>(body.placement.R);
  const Vec3<C> d = cast<C>(body.placement.d);
  return with_joint(body.joint, [&](auto joint) { return decltype(joint)::pose(R, d, C(body.pitch), q_all + body.q); });
}

/// S x: the motion, in the body's frame, that the joint's entries of x (nv) stand for.
template <class S>
Motion<S> joint_motion(const Body& body, const S* x_all) {
  const S* x = x_all + body.v;
  const S o(0.0);
  Motion<S> m{{{o, o, o}}, {{o, o, o}}};
  with_joint(body.joint, [&](auto joint) {
    for_each_freedom<decltype(joint)>([&](auto k) {
      constexpr JointFreedom freedom = decltype(joint)::freedoms[k];
      component(m, freedom.axis) = x[k];
      if constexpr (freedom.slides >= 0) component(m, freedom.slides) = Constant<S>(body.pitch) * x[k];
    });
  });
  return m;
}

/// Sᵀ f: as many numbers as the joint has freedoms.
template <class S>
void force_on_freedoms(const Body& body, const Force<S>& f, S* tau) {
  with_joint(body.joint, [&](auto joint) {
    for_each_freedom<decltype(joint)>([&](auto k) {
      constexpr JointFreedom freedom = decltype(joint)::freedoms[k];
      tau[k] = component(f, freedom.axis);
      if constexpr (freedom.slides >= 0) tau[k] = tau[k] + Constant<S>(body.pitch) * component(f, freedom.slides);
    });
  });
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
