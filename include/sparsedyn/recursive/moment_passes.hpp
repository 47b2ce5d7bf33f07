// The two passes that all derivatives start from: motion from the base outwards, second moments from the tips inwards.
// Second moments Σ m ρρᵀ instead of inertia tensors, and classical instead of spatial accelerations, so that every quantity is
// a 3×3 matrix or a vector about the body's own origin. Derivation: docs/derivatives.md.
#pragma once

#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/recursive/moment_workspace.hpp"

namespace sparsedyn {

/// True where the body's joint moves along or about the fixed axis e_z only, so that parent and child carry it alike.
constexpr bool has_fixed_axis(BodyJoint j) { return j == BodyJoint::revolute || j == BodyJoint::prismatic; }

namespace detail {

/// [α]× + [ω]×² = [α]× + ω ωᵀ − ω² 1.
template <class S>
Mat3<S> second_rate(const Vec3<S>& omega, const Vec3<S>& alpha) {
  const S x = omega[0] * omega[0], y = omega[1] * omega[1], z = omega[2] * omega[2];
  const S xy = omega[0] * omega[1], xz = omega[0] * omega[2], yz = omega[1] * omega[2];
  return {{{-(y + z), xy - alpha[2], xz + alpha[1]},
           {xy + alpha[2], -(x + z), yz - alpha[0]},
           {xz - alpha[1], yz + alpha[0], -(x + y)}}};
}

/// The parent's motion in the axes of body i, the acceleration at the point c that coincides with O_i.
template <class S>
struct Carrier {
  Vec3<S> omega, alpha, a_c;
};

/// `parent`: null at the world, whose acceleration is −g.
template <class S>
[[gnu::always_inline]] inline Carrier<S> carrier(const Model& model, const Pose<S>& pose, const BodyMoments<S>* parent) {
  if (!parent) return {zero3<S>(), zero3<S>(), transposed_times(pose.R, cast<S>(-model.gravity))};
  return {transposed_times(pose.R, parent->omega), transposed_times(pose.R, parent->alpha),
          transposed_times(pose.R, parent->a + parent->U * pose.d)};
}

/// Motion of a revolute body, the commonest: only z components change.
template <class S>
void move_revolute(const Model& model, const Body& body, BodyMoments<S>& x, const BodyMoments<S>* parent, const S& q,
                   const S& rate, const S& second) {
  using std::cos;
  using std::sin;
  const Pose<S> pose{turned_about_z<S>(body.placement.R, cos(q), sin(q)), cast<S>(body.placement.d)};
  const Carrier<S> p = carrier(model, pose, parent);
  const Vec3<S> omega{{p.omega[0], p.omega[1], p.omega[2] + rate}};
  const Vec3<S> alpha{{p.alpha[0] + p.omega[1] * rate, p.alpha[1] - p.omega[0] * rate, p.alpha[2] + second}};
  x.w = parent ? cross(parent->omega, pose.d) : zero3<S>();
  x.U = second_rate(omega, alpha);
  x.pose = pose;
  x.omega = omega;
  x.alpha = alpha;
  x.a = p.a_c;
}

/// Motion of any body: ω = ω_p + ω_J, α = α_p + ω_p × ω_J + α_J, a = a_c + (ω + ω_p) × v_J + a_J.
template <class S>
void move_any(const Model& model, const Body& body, BodyMoments<S>& x, const BodyMoments<S>* parent, const S* q, const S* v,
              const S* a) {
  x.pose = joint_pose(body, q);
  const Carrier<S> p = carrier(model, x.pose, parent);
  const Motion<S> rate = joint_motion(body, v), second = joint_motion(body, a);
  x.omega = p.omega + rate.w;
  x.alpha = p.alpha + cross(p.omega, rate.w) + second.w;
  x.a = p.a_c + cross(x.omega + p.omega, rate.v) + second.v;
  x.w = x.pose.R * rate.v;
  if (parent) x.w += cross(parent->omega, x.pose.d);
  x.U = second_rate(x.omega, x.alpha);
  if (has_fixed_axis(body.joint)) return;
  x.omega_parent = p.omega;
  x.U_parent = second_rate(p.omega, p.alpha);
  x.a_c = p.a_c;
  x.v_joint = rate.v;
}

template <class S>
void move(const Model& model, MomentWorkspace<S>& ws, int i, const S* q, const S* v, const S* a) {
  const Body& body = model.bodies[i];
  const BodyMoments<S>* parent = body.parent < 0 ? nullptr : &ws.bodies[body.parent];
  if (body.joint == BodyJoint::revolute)
    move_revolute(model, body, ws.bodies[i], parent, q[body.q], v[body.v], a[body.v]);
  else
    move_any(model, body, ws.bodies[i], parent, q, v, a);
}

/// Moments of body i alone, equations (2).
template <class S>
void weigh(const Body& body, BodyMoments<S>& x, const Force<S>* fx) {
  const Sym3<double>& s = body.inertia.moments;
  const Vec3<double>& h = body.inertia.h;
  const Vec3<double> rows[3] = {{{s.xx, s.xy, s.xz}}, {{s.xy, s.yy, s.yz}}, {{s.xz, s.yz, s.zz}}};
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> g = cross(x.omega, rows[r]);
    x.second[r] = lanes(S(rows[r][0]), S(rows[r][1]), S(rows[r][2]), S(0.0));
    x.rate[r] = lanes(g[0], g[1], g[2], S(0.0));
  }
  const Vec3<S> p = cross(x.omega, h);
  Vec3<S> F = x.U * h + body.inertia.m * x.a;
  // Σ ρ × m U ρ is twice the axial vector of U Σ m ρρᵀ
  const auto US = [&](int r, int c) { return x.U(r, 0) * rows[c][0] + x.U(r, 1) * rows[c][1] + x.U(r, 2) * rows[c][2]; };
  Vec3<S> N = Vec3<S>{{US(2, 1) - US(1, 2), US(0, 2) - US(2, 0), US(1, 0) - US(0, 1)}} + cross(h, x.a);
  if (fx) F -= fx->f, N -= fx->n;
  for (int r = 0; r < 3; ++r) x.vectors[r] = lanes(S(h[r]), p[r], F[r], N[r]);
}

/// Adds the subtree's moments (mass m) to its parent's, equations (3): shift d, with rate w.
template <class S>
void gather(const BodyMoments<S>& x, double m, BodyMoments<S>& parent) {
  const Mat3<S>& R = x.pose.R;
  const Vec3<S>&d = x.pose.d, &w = x.w;
  const Vec3<Lanes<S>> y = R * x.vectors;
  const auto vector = [&](int k) { return Vec3<S>{{y[0][k], y[1][k], y[2][k]}}; };
  const Vec3<S> h = vector(0), p = vector(1), F = vector(2), hm = h + m * d;
  const auto row = [](const S& a, const S& b, const S& c) { return lanes(a, b, c, S(0.0)); };
  const Lanes<S> columns[3] = {row(R(0, 0), R(1, 0), R(2, 0)), row(R(0, 1), R(1, 1), R(2, 1)), row(R(0, 2), R(1, 2), R(2, 2))};
  const Lanes<S> d4 = row(d[0], d[1], d[2]), w4 = row(w[0], w[1], w[2]);
  const Lanes<S> hm4 = row(hm[0], hm[1], hm[2]), p4 = row(p[0], p[1], p[2]);
  for (int r = 0; r < 3; ++r) {  // Σ' = R Σ Rᵀ + h dᵀ + d (h + m d)ᵀ,  G' = R G Rᵀ + d pᵀ + (h + m d) wᵀ
    const Lanes<S> rs = R(r, 0) * x.second[0] + R(r, 1) * x.second[1] + R(r, 2) * x.second[2];
    const Lanes<S> rg = R(r, 0) * x.rate[0] + R(r, 1) * x.rate[1] + R(r, 2) * x.rate[2];
    parent.second[r] = parent.second[r] + rs[0] * columns[0] + rs[1] * columns[1] + rs[2] * columns[2] + h[r] * d4 + d[r] * hm4;
    parent.rate[r] = parent.rate[r] + rg[0] * columns[0] + rg[1] * columns[1] + rg[2] * columns[2] + d[r] * p4 + hm[r] * w4;
  }
  const Vec3<S> moment = cross(d, F);
  for (int r = 0; r < 3; ++r) parent.vectors[r] = parent.vectors[r] + y[r] + lanes(S(m * d[r]), S(m * w[r]), S(0.0), moment[r]);
}

}  // namespace detail

/// Motion of every body, then moments of every subtree. q (nq), v (nv), a (nv); fx: the wrench of the world on each body in
/// the body's frame, or null. About 500 flops a body.
template <class S>
void moment_passes(const Model& model, MomentWorkspace<S>& ws, const S* q, const S* v, const S* a,
                   const Force<S>* fx) noexcept {
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    detail::move(model, ws, i, q, v, a);
    detail::weigh(model.bodies[i], ws.bodies[i], fx ? fx + i : nullptr);
  }
  for (int i = n - 1; i > 0; --i)
    if (model.bodies[i].parent >= 0) detail::gather(ws.bodies[i], ws.mass[i], ws.bodies[model.bodies[i].parent]);
}

}  // namespace sparsedyn
