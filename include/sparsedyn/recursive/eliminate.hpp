// One joint's part in the articulated-body algorithm. Freedoms are eliminated one at a time, the last of a joint first: as
// S is constant, a joint with several freedoms is a row of joints with one, without anything between them.
#pragma once

#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/recursive/workspace.hpp"
#include "sparsedyn/scalar_traits.hpp"

namespace sparsedyn {

/// Freedom k of a joint: along axis k of its angular (0–2) or linear (3–5) unit motions. A helical one is also
/// `pitch` times linear z.
constexpr int freedom_axis(BodyJoint j, int k) {
  switch (j) {
    case BodyJoint::prismatic: return 5;
    case BodyJoint::planar: return k == 2 ? 2 : 3 + k;
    case BodyJoint::spherical:
    case BodyJoint::floating: return k;
    default: return 2;
  }
}

/// I e_axis.
template <class S>
Force<S> column(const ArticulatedInertia<S>& I, int axis) {
  const auto of = [](const Sym3<S>& s, int k) {
    return k == 0 ? Vec3<S>{{s.xx, s.xy, s.xz}} : k == 1 ? Vec3<S>{{s.xy, s.yy, s.yz}} : Vec3<S>{{s.xz, s.yz, s.zz}};
  };
  const Mat3<S>& B = I.B;
  if (axis < 3) return {of(I.A, axis), {{B(axis, 0), B(axis, 1), B(axis, 2)}}};
  return {{{B(0, axis - 3), B(1, axis - 3), B(2, axis - 3)}}, of(I.C, axis - 3)};
}

template <class S>
const S& component(const Force<S>& f, int axis) {
  return axis < 3 ? f.n[axis] : f.f[axis - 3];
}

/// For each freedom: U = I S, D = Sᵀ U, u = τ − Sᵀ p, then I ← I − U D⁻¹ Uᵀ, p ← p + U D⁻¹ u. I, p: the body's articulated
/// inertia and wrench, in its frame. Returns the entry of v whose D is singular, or -1.
template <class S>
int eliminate_joint(const Body& body, ArticulatedInertia<S>& I, Force<S>& p, const S* tau,
                    EliminatedFreedom<S>* freedom) noexcept {
  int singular = -1;
  const bool helical = body.joint == BodyJoint::helical;
  const auto pitch = static_cast<Constant<S>>(body.pitch);
  for (int k = freedoms(body.joint) - 1; k >= 0; --k) {
    const int axis = freedom_axis(body.joint, k), j = body.v + k;
    const S size = axis < 3 ? I.A.xx + I.A.yy + I.A.zz : I.C.xx + I.C.yy + I.C.zz;
    Force<S> U = column(I, axis);
    if (helical) {
      const Force<S> along = column(I, 5);
      U = U + Force<S>{pitch * along.n, pitch * along.f};
    }
    const auto along_freedom = [&](const Force<S>& f) { return helical ? f.n[2] + pitch * f.f[2] : component(f, axis); };
    const S D = along_freedom(U);
    if (singular < 0 && is_singular_pivot(D, size)) singular = j;
    const S inverse = S(1.0) / D, u = tau[j] - along_freedom(p);
    const Force<S> g{inverse * U.n, inverse * U.f};
    I = minus_outer(I, U, g);
    p = {p.n + u * g.n, p.f + u * g.f};
    freedom[j] = {U, inverse, u};
  }
  return singular;
}

/// What is left of I for the parent, in its frame.
template <class S>
ArticulatedInertia<S> carried_to_parent(const Body&, const Pose<S>& pose, const ArticulatedInertia<S>& I) {
  return to_parent(pose, I);
}

/// q̈ = D⁻¹ (u − Uᵀ δ), δ ← δ + S q̈ for each freedom in turn. delta: what reaches the body; a: all of nv.
template <class S>
void joint_acceleration(const Body& body, const EliminatedFreedom<S>* freedom, Motion<S>& delta, S* a) noexcept {
  for (int k = 0; k < freedoms(body.joint); ++k) {
    const int axis = freedom_axis(body.joint, k), j = body.v + k;
    const EliminatedFreedom<S>& e = freedom[j];
    a[j] = e.inverse * (e.u - dot(delta, e.U));
    S& along = axis < 3 ? delta.w[axis] : delta.v[axis - 3];
    along = along + a[j];
    if (body.joint == BodyJoint::helical) delta.v[2] = delta.v[2] + Constant<S>(body.pitch) * a[j];
  }
}

}  // namespace sparsedyn
