// Analytic first derivatives of inverse dynamics by moment matrices, for every joint, with external wrenches.
//
// Turning or shifting everything below joint i along one of its freedoms adds a wrench below the joint; carried towards the
// base as forces are, it gives the column ∂τ_j/∂q_i, ∂τ_j/∂v_i of every ancestor j. Going up with it, the freedom's own
// column of M and its rate give the row ∂τ_i/∂q_j, ∂τ_i/∂v_j. Derivation: docs/derivatives.md.
#pragma once

#include <algorithm>

#include "sparsedyn/recursive/joint_screws.hpp"

namespace sparsedyn {

/// Results, row-major, in the order of v. Null pointers are not allowed. Entries between joints of different branches are 0.
/// Columns with respect to q are on the tangent space: q ⊕ δ, perturbed on the right.
template <class S>
struct RneaDerivatives {
  S* tau;      // nv: inverse dynamics itself
  S* dtau_dq;  // nv × nv
  S* dtau_dv;  // nv × nv
  S* M;        // nv × nv: ∂τ/∂a, the joint-space inertia
};

namespace detail {

/// Entries of freedom i (index in v) with the freedoms of its own or an ancestor's joint. The meet_ functions below take any R
/// with these members.
template <class S>
struct Row {
  const RneaDerivatives<S>& out;
  int nv, stride, i;
  void mass(int j, const S& value) const {
    if (out.M) out.M[i * nv + j] = out.M[j * nv + i] = value;
  }
  void of_i(int j, const S& by_q, const S& by_v) const { set(i * stride + j, by_q, by_v); }
  void of_j(int j, const S& by_q, const S& by_v) const { set(j * stride + i, by_q, by_v); }
  void set(int entry, const S& by_q, const S& by_v) const { out.dtau_dq[entry] = by_q, out.dtau_dv[entry] = by_v; }
};

/// M = n_z,  ∂τ_i/∂v_j = 2 (z' · n + k_z),  ∂τ_i/∂q_j = u · n + 2 z' · k + (a_y, −a_x, 0) · f.
template <class R, class S>
[[gnu::always_inline]] inline void meet_revolute(const R& row, int j, const BodyMoments<S>& x, const Wave<S>& y,
                                                 bool ancestor) {
  const Vec3<Lanes<S>>&f = y.forces, &n = y.moments;
  row.mass(j, n[2][0]);
  row.of_i(j,
           x.motion.U(0, 2) * n[0][0] + x.motion.U(1, 2) * n[1][0] + x.motion.U(2, 2) * n[2][0] +
               twice(x.motion.w[1] * n[0][1] - x.motion.w[0] * n[1][1]) + x.motion.a[1] * f[0][0] - x.motion.a[0] * f[1][0],
           twice(x.motion.w[1] * n[0][0] - x.motion.w[0] * n[1][0] + n[2][1]));
  if (ancestor) row.of_j(j, n[2][2], n[2][3]);
}

/// M = f_z,  ∂τ_i/∂v_j = 2 l' · f,  ∂τ_i/∂q_j = l'' · f.
template <class R, class S>
void meet_prismatic(const R& row, int j, const BodyMoments<S>& x, const Wave<S>& y, bool ancestor) {
  const Vec3<Lanes<S>>& f = y.forces;
  row.mass(j, f[2][0]);
  row.of_i(j, x.motion.U(0, 2) * f[0][0] + x.motion.U(1, 2) * f[1][0] + x.motion.U(2, 2) * f[2][0],
           twice(x.motion.w[1] * f[0][0] - x.motion.w[0] * f[1][0]));
  if (ancestor) row.of_j(j, f[2][2], f[2][3]);
}

/// A free body at the world (ω_p = U_p = 0): M = (n, f),  ∂τ_i/∂v = (n × ω + 2 k + v × f, f × ω),  ∂τ_i/∂q = (f × a_c, 0).
template <class R, class S>
void meet_free_base(const R& row, int j, const BodyMoments<S>& x, const Wave<S>& y, bool ancestor) {
  const Vec3<S> f = lane(y.forces, 0), n = lane(y.moments, 0), k = lane(y.moments, 1);
  const Vec3<S> by_q = cross(f, x.parent.a), by_w = cross(n, x.motion.w) + twice(k) + cross(x.v_joint, f),
                by_v = cross(f, x.motion.w);
  for (int c = 0; c < 3; ++c) {
    row.mass(j + c, n[c]);
    row.mass(j + 3 + c, f[c]);
    row.of_i(j + c, by_q[c], by_w[c]);
    row.of_i(j + 3 + c, S(0.0), by_v[c]);
    if (!ancestor) continue;
    row.of_j(j + c, y.moments[c][2], y.moments[c][3]);
    row.of_j(j + 3 + c, y.forces[c][2], y.forces[c][3]);
  }
}

/// M = z · n + l · f,  ∂τ_i/∂v_j = Zv · n + 2 z · k + Lv · f,  ∂τ_i/∂q_j = z'' · n + 2 z' · (k + v_J × f) + L2 · f.
template <class R, class S>
void meet_screw(const R& row, int j, const BodyMoments<S>& x, const Screw<S>& e, const Wave<S>& y, bool ancestor) {
  const Vec3<S> f = lane(y.forces, 0), n = lane(y.moments, 0), k = lane(y.moments, 1);
  row.mass(j, dot(e.z, n) + dot(e.l, f));
  row.of_i(j, dot(e.z2, n) + twice(dot(e.z1, k + cross(x.v_joint, f))) + dot(e.L2, f),
           dot(e.Zv, n) + twice(dot(e.z, k)) + dot(e.Lv, f));
  if (ancestor)
    row.of_j(j, dot(e.z, lane(y.moments, 2)) + dot(e.l, lane(y.forces, 2)),
             dot(e.z, lane(y.moments, 3)) + dot(e.l, lane(y.forces, 3)));
}

template <class R, class S>
void meet(const R& row, const Body& body, const BodyMoments<S>& x, const Screw<S>* screws, const Wave<S>& y, bool ancestor) {
  switch (body.joint) {
    case BodyJoint::revolute: return meet_revolute(row, body.v, x, y, ancestor);
    case BodyJoint::prismatic: return meet_prismatic(row, body.v, x, y, ancestor);
    case BodyJoint::floating:
      if (body.parent < 0) return meet_free_base(row, body.v, x, y, ancestor);
      break;
    default: break;
  }
  for (int c = 0; c < freedoms(body.joint); ++c) meet_screw(row, body.v + c, x, screws[body.v + c], y, ancestor);
}

/// The freedom c of body i with every joint between it and the base.
template <class S>
[[gnu::always_inline]] inline void climb(const Model& model, const MomentWorkspace<S>& ws, int i, int c, int stride,
                                         const RneaDerivatives<S>& out) {
  const Row<S> row{out, model.nv, stride, model.bodies[i].v + c};
  Wave<S> y = wave_of(model.bodies[i], ws, i, c);
  meet(row, model.bodies[i], ws.bodies[i], ws.screws.data(), y, false);
  for (int j = i; model.bodies[j].parent >= 0;) {
    carry(ws.bodies[j], y);
    j = model.bodies[j].parent;
    meet(row, model.bodies[j], ws.bodies[j], ws.screws.data(), y, true);
  }
}

/// τ, and the entries on the branches of ∂τ/∂q, ∂τ/∂v (rows `stride` numbers apart) and M, which here may be null.
template <class S>
void send_waves(const Model& model, MomentWorkspace<S>& ws, int stride, const RneaDerivatives<S>& out) noexcept {
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    const BodyMoments<S>& x = ws.bodies[i];
    joint_force(body, Force<S>{x.N(), x.F()}, out.tau);
    if (!has_fixed_axis(body.joint)) find_screws(body, x, ws.screws.data() + body.v);
    for (int c = 0; c < freedoms(body.joint); ++c) climb(model, ws, i, c, stride, out);
  }
}

}  // namespace detail

/// All results from what moment_passes has left in ws.
template <class S>
void derivatives_from_moments(const Model& model, MomentWorkspace<S>& ws, const RneaDerivatives<S>& out) noexcept {
  for (S* matrix : {out.dtau_dq, out.dtau_dv, out.M}) std::fill(matrix, matrix + model.nv * model.nv, S(0.0));
  detail::send_waves(model, ws, model.nv, out);
}

/// τ, ∂τ/∂q, ∂τ/∂v and M at (q, v, a), with the wrenches fx (one a body, in the body's frame, where they stay constant; null:
/// none). q (nq), v (nv), a (nv). SI units. Cost: about 500 flops a body and 200 for each pair of joints on a branch; no heap.
template <class S>
void rnea_derivatives(const Model& model, MomentWorkspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx,
                      const RneaDerivatives<S>& out) noexcept {
  moment_passes(model, ws, q, v, a, fx);
  derivatives_from_moments(model, ws, out);
}

extern template void rnea_derivatives(const Model&, MomentWorkspace<double>&, const double*, const double*, const double*,
                                      const Force<double>*, const RneaDerivatives<double>&) noexcept;

}  // namespace sparsedyn
