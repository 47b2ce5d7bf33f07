// Forward dynamics on the way to its derivatives: what the moment passes know at a = 0 gives bias and M, and once M q̈ = τ −
// bias is solved, only accelerations and wrenches need to be brought up to date.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/inertia_from_moments.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// After moment_passes at zero accelerations: α, a, U of every body and F, N of every subtree for the accelerations `a` (nv),
/// on which all of them depend linearly. With (ẇ_J, v̇_J) = S a in the body's axes, and (m, h, I) of the body itself,
///   Δα = Δα' + ẇ_J,   Δa = (Δa_λ + Δα_λ × d)' + v̇_J,   ΔU = [Δα]×,   ΔF = Δα × h + m Δa,   ΔN = I Δα + h × Δa.
template <class S>
void accelerate(const Model& model, MomentWorkspace<S>& ws, const S* a) {
  const int n = static_cast<int>(model.bodies.size());
  const auto turn = [](Mat3<S>& U, const Vec3<S>& al) {
    U(0, 1) = U(0, 1) - al[2], U(0, 2) = U(0, 2) + al[1], U(1, 2) = U(1, 2) - al[0];
    U(1, 0) = U(1, 0) + al[2], U(2, 0) = U(2, 0) - al[1], U(2, 1) = U(2, 1) + al[0];
  };
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    BodyMoments<S>& x = ws.bodies[i];
    Motion<S> m{zero3<S>(), zero3<S>()};
    if (body.parent >= 0) m = to_child(x.pose, ws.change[body.parent].motion);
    if (!has_fixed_axis(body.joint)) {
      x.parent.al += m.w, x.parent.a += m.v;
      turn(x.parent.U, m.w);
    }
    if (body.joint == BodyJoint::revolute)
      m.w[2] = m.w[2] + a[body.v];
    else
      m = m + joint_motion(body, a);
    x.motion.al += m.w, x.motion.a += m.v;
    turn(x.motion.U, m.w);
    ws.change[i] = {m, with_inertia<S>(body.inertia, [&](const auto& I) { return I * m; })};
  }
  for (int i = n - 1; i >= 0; --i) {
    const Force<S>& f = ws.change[i].force;
    BodyMoments<S>& x = ws.bodies[i];
    for (int r = 0; r < 3; ++r) keep(load(x.vectors[r]) + lanes(S(0.0), S(0.0), f.f[r], f.n[r]), x.vectors[r]);
    if (model.bodies[i].parent >= 0) {
      Force<S>& up = ws.change[model.bodies[i].parent].force;
      up = up + to_parent(x.pose, f);
    }
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// a = FD(q, v, tau, fx); the moments are then those at a, and `factors` those of M. zero: nv zeros. If M is singular the
/// entry of v nearest to the tips at which it is so is returned.
template <class S>
DynamicsStatus accelerations_from_moments(const Model& model, MomentWorkspace<S>& ws, const S* zero, const S* q, const S* v,
                                          const S* tau, const Force<S>* fx, PackedLtdl<S>& factors, S* a) noexcept {
  moment_passes(model, ws, q, v, zero, fx);
  detail::inertia_from_moments(model, ws, factors);
  DynamicsStatus status;
  status.singular = factors.factor();
  if (!status.ok()) return status;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    joint_force(model.bodies[b], Force<S>{ws.bodies[b].N(), ws.bodies[b].F()}, a);
  add_joint_torques<S>(model, q, v, nullptr, a);
  for (int k = 0; k < model.nv; ++k) a[k] = tau[k] - a[k];
  factors.solve(a);
  detail::accelerate(model, ws, a);
  return status;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
