// Base to tips: poses, motions and the wrench that each body's own inertia asks for. Shared by rnea, aba and bias forces.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// U = [α]× + [ω]×² = [α]× + ω ωᵀ − |ω|² 1.
template <class S>
Mat3<S> acceleration_gradient(const Vec3<S>& w, const Vec3<S>& al) {
  const S xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  const S xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
  return {{{-yy - zz, xy - al[2], xz + al[1]}, {xy + al[2], -xx - zz, yz - al[0]}, {xz - al[1], yz + al[0], -xx - yy}}};
}

/// Motion of the world's frame: it stands still and accelerates by −g, so that gravity needs no forces of its own.
template <class S>
BodyMotion<S> world_motion(const Model& model) {
  const Vec3<S> o = zero3<S>();
  const Mat3<S> O{{{S(0.0), S(0.0), S(0.0)}, {S(0.0), S(0.0), S(0.0)}, {S(0.0), S(0.0), S(0.0)}}};
  return {o, o, -cast<S>(model.gravity), O};
}

/// Motion of a body from its parent's (λ), primes marking the parent's vectors turned into the body's axes, (w_J, v_J) the
/// joint's velocity S v and (ẇ_J, v̇_J) its acceleration S a in the body's axes, d the body's origin in the parent:
///   ω = ω' + w_J
///   α = α' + ω' × w_J + ẇ_J
///   a = (a_λ + U_λ d)' + (ω' + ω) × v_J + v̇_J            (second term: Coriolis and the turning of v_J)
template <class S>
BodyMotion<S> body_motion(const BodyMotion<S>& parent, const Pose<S>& X, const Motion<S>& vJ, const Motion<S>& aJ) {
  const Vec3<S> wp = transposed_times(X.R, parent.w);
  const Vec3<S> w = wp + vJ.w;
  const Vec3<S> al = transposed_times(X.R, parent.al) + cross(wp, vJ.w) + aJ.w;
  const Vec3<S> a = transposed_times(X.R, parent.a + parent.U * X.d) + cross(wp + w, vJ.v) + aJ.v;
  return {w, al, a, acceleration_gradient(w, al)};
}

/// The same for a revolute joint, whose velocity and acceleration lie along z.
template <class S>
[[gnu::always_inline]] inline BodyMotion<S> revolute_motion(const BodyMotion<S>& parent, const Pose<S>& X, const S& v,
                                                            const S& acceleration) {
  const Vec3<S> wp = transposed_times(X.R, parent.w), alp = transposed_times(X.R, parent.al);
  const Vec3<S> w{{wp[0], wp[1], wp[2] + v}};
  const Vec3<S> al{{alp[0] + wp[1] * v, alp[1] - wp[0] * v, alp[2] + acceleration}};
  return {w, al, transposed_times(X.R, parent.a + parent.U * X.d), acceleration_gradient(w, al)};
}

/// Wrench about the origin that moves a body so: with r-double-dot − g = a + U ρ at a point ρ and Σ = ∫ρρᵀ dm,
///   F = ∫ (a + U ρ) dm = U h + m a
///   N = ∫ ρ × (a + U ρ) dm = h × a + ax(U Σ),   ax(W) = (W_zy − W_yz, W_xz − W_zx, W_yx − W_xy)
template <class C, class S>
[[gnu::always_inline]] inline Force<S> inertial_wrench(const Inertia<C>& I, const BodyMotion<S>& m) {
  const Mat3<S>& U = m.U;
  const Sym3<C>& M = I.moments;
  const Vec3<S> ax{{U(2, 0) * M.xy + U(2, 1) * M.yy + U(2, 2) * M.yz - U(1, 0) * M.xz - U(1, 1) * M.yz - U(1, 2) * M.zz,
                    U(0, 0) * M.xz + U(0, 1) * M.yz + U(0, 2) * M.zz - U(2, 0) * M.xx - U(2, 1) * M.xy - U(2, 2) * M.xz,
                    U(1, 0) * M.xx + U(1, 1) * M.xy + U(1, 2) * M.xz - U(0, 0) * M.xy - U(0, 1) * M.yy - U(0, 2) * M.yz}};
  return {ax + cross(I.h, m.a), U * I.h + I.m * m.a};
}

/// Fills ws.pose, ws.motion and ws.force (what the body itself needs, less fx).
/// q: nq, v: nv; a: nv or nullptr for zero; fx: one wrench a body in its frame (world on body), or nullptr.
template <class S>
void forward_pass(const Model& model, Workspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx) noexcept {
  const BodyMotion<S> world = world_motion<S>(model);
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<S>& parent = body.parent < 0 ? world : ws.motion[body.parent];
    ws.pose[i] = joint_pose(body, q);
    if (body.joint == BodyJoint::revolute)
      ws.motion[i] = revolute_motion(parent, ws.pose[i], v[body.v], a ? a[body.v] : S(0.0));
    else
      ws.motion[i] =
          body_motion(parent, ws.pose[i], joint_motion(body, v), a ? joint_motion(body, a) : Motion<S>{zero3<S>(), zero3<S>()});
    ws.force[i] = with_inertia<S>(body.inertia, [&](const auto& I) { return inertial_wrench(I, ws.motion[i]); });
    if (fx) ws.force[i] = ws.force[i] - fx[i];
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
