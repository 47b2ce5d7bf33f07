// The two passes that all derivatives start from: motion from the base outwards, second moments from the tips inwards.
// Second moments Σ m ρρᵀ instead of inertia tensors, and classical instead of spatial accelerations, so that every quantity is
// a 3×3 matrix or a vector about the body's own origin. Derivation: docs/derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/forward_pass.hpp"
#include "sparsedyn/dynamics/detail/moment_workspace.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// True where the body's joint moves along or about the fixed axis e_z only, so that parent and child carry it alike.
constexpr bool has_fixed_axis(BodyJoint j) { return j == BodyJoint::revolute || j == BodyJoint::prismatic; }

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Motion of body i from its parent's, equations (1) of docs/derivatives.md.
template <class S>
void move_revolute(const Body& body, const BodyMotion<S>& parent, BodyMoments<S>& x, const S& q, const S& v, const S& a) {
  using std::cos;
  using std::sin;
  using C = Constant<S>;
  const Pose<S> pose{turned_about_z<S>(cast<C>(body.placement.R), q), cast<S>(body.placement.d)};
  x.motion = revolute_motion(parent, pose, v, a);
  x.w = cross(parent.w, pose.d);
  x.pose = pose;
}

template <class S>
void move_any(const Body& body, const BodyMotion<S>& parent, BodyMoments<S>& x, const S* q, const S* v, const S* a) {
  const Vec3<S> o = zero3<S>();
  const Motion<S> rate = joint_motion(body, v);
  x.pose = joint_pose(body, q);
  x.motion = body_motion(parent, x.pose, rate, joint_motion(body, a));
  x.w = x.pose.R * rate.v + cross(parent.w, x.pose.d);
  x.v_joint = rate.v;
  if (!has_fixed_axis(body.joint)) x.parent = body_motion(parent, x.pose, Motion<S>{o, o}, Motion<S>{o, o});
}

/// Σ m ρρᵀ of body i alone and its G = Σ [ω]×ᵀ.
template <class S, class N>
void weigh_second(const Inertia<N>& I, BodyMoments<S>& x) {
  const Sym3<N>& s = I.moments;
  const Vec3<N> rows[3] = {{{s.xx, s.xy, s.xz}}, {{s.xy, s.yy, s.yz}}, {{s.xz, s.yz, s.zz}}};
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> g = cross(x.motion.w, rows[r]);
    keep(lanes(S(rows[r][0]), S(rows[r][1]), S(rows[r][2]), S(0.0)), x.second[r]);
    keep(lanes(g[0], g[1], g[2], S(0.0)), x.rate[r]);
  }
}

/// Moments of body i alone, equations (2).
template <class S, class N>
void weigh(const Inertia<N>& I, BodyMoments<S>& x, const Force<S>* fx) {
  weigh_second(I, x);
  const Vec3<S> p = cross(x.motion.w, I.h);
  Force<S> f = inertial_wrench(I, x.motion);
  if (fx) f = f - *fx;
  for (int r = 0; r < 3; ++r) keep(lanes(S(I.h[r]), p[r], f.f[r], f.n[r]), x.vectors[r]);
}

/// Adds the subtree's moments (mass m) to its parent's, equations (3): shift d, with rate w.
template <class S>
void gather(const BodyMoments<S>& x, SubtreeMass<S> m, BodyMoments<S>& parent) {
  const Mat3<S>& R = x.pose.R;
  const Vec3<S>&d = x.pose.d, &w = x.w;
  const Vec3<simd<S, 4>> y = R * loaded(x.vectors);
  const auto vector = [&](int k) { return Vec3<S>{{y[0][k], y[1][k], y[2][k]}}; };
  const Vec3<S> h = vector(0), p = vector(1), F = vector(2), hm = h + m * d;
  const auto row = [](const S& a, const S& b, const S& c) { return lanes(a, b, c, S(0.0)); };
  const simd<S, 4> columns[3] = {row(R(0, 0), R(1, 0), R(2, 0)), row(R(0, 1), R(1, 1), R(2, 1)),
                                 row(R(0, 2), R(1, 2), R(2, 2))};
  const simd<S, 4> d4 = row(d[0], d[1], d[2]), w4 = row(w[0], w[1], w[2]);
  const simd<S, 4> hm4 = row(hm[0], hm[1], hm[2]), p4 = row(p[0], p[1], p[2]);
  for (int r = 0; r < 3; ++r) {  // Σ' = R Σ Rᵀ + h dᵀ + d (h + m d)ᵀ,  G' = R G Rᵀ + d pᵀ + (h + m d) wᵀ
    const simd<S, 4> rs = R(r, 0) * load(x.second[0]) + R(r, 1) * load(x.second[1]) + R(r, 2) * load(x.second[2]);
    const simd<S, 4> rg = R(r, 0) * load(x.rate[0]) + R(r, 1) * load(x.rate[1]) + R(r, 2) * load(x.rate[2]);
    keep(load(parent.second[r]) + rs[0] * columns[0] + rs[1] * columns[1] + rs[2] * columns[2] + h[r] * d4 + d[r] * hm4,
         parent.second[r]);
    keep(load(parent.rate[r]) + rg[0] * columns[0] + rg[1] * columns[1] + rg[2] * columns[2] + d[r] * p4 + hm[r] * w4,
         parent.rate[r]);
  }
  const Vec3<S> moment = cross(d, F);
  for (int r = 0; r < 3; ++r)
    keep(load(parent.vectors[r]) + y[r] + lanes(S(m * d[r]), S(m * w[r]), S(0.0), moment[r]), parent.vectors[r]);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// Moments of every body become those of its subtree.
template <class S>
void gather_moments(const Model& model, MomentWorkspace<S>& ws) noexcept {
  for (int i = static_cast<int>(model.bodies.size()) - 1; i > 0; --i)
    if (model.bodies[i].parent >= 0) detail::gather(ws.bodies[i], ws.mass[i], ws.bodies[model.bodies[i].parent]);
}

/// Motion of every body, then moments of every subtree. q (nq), v (nv), a (nv); fx: the wrench of the world on each body in
/// the body's frame, or null. About 500 flops a body.
template <class S>
void moment_passes(const Model& model, MomentWorkspace<S>& ws, const S* q, const S* v, const S* a,
                   const Force<S>* fx) noexcept {
  const BodyMotion<S> world = world_motion<S>(model);
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<S>& parent = body.parent < 0 ? world : ws.bodies[body.parent].motion;
    if (body.joint == BodyJoint::revolute)
      detail::move_revolute(body, parent, ws.bodies[i], q[body.q], v[body.v], a[body.v]);
    else
      detail::move_any(body, parent, ws.bodies[i], q, v, a);
    with_inertia<S>(body.inertia, [&](const auto& I) { detail::weigh(I, ws.bodies[i], fx ? fx + i : nullptr); });
  }
  gather_moments(model, ws);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
