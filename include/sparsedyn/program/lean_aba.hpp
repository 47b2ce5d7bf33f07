// Forward dynamics on a LeanTree by articulated bodies, on unknowns shifted by the motion at zero joint acceleration:
// velocities enter the wrenches of an inverse dynamics and nothing else.
#pragma once

#include "sparsedyn/program/lean_motion.hpp"
#include "sparsedyn/recursive/articulated_inertia.hpp"

namespace sparsedyn {

/// A joint's freedom after elimination: gain g = U / D with U = I S, D = SᵀU; u = τ − Sᵀ p.
template <class S>
struct LeanFreedom {
  Force<S> gain;
  S inverse, u;
};

/// I − U g Uᵀ and p + g u, with the entries along the joint's axis replaced by what they are: 0 and τ.
template <class S>
LeanFreedom<S> eliminate_axis(const LeanBody& b, const S& tau, ArticulatedInertia<S>& I, Force<S>& p) {
  const bool revolute = b.joint == BodyJoint::revolute;
  const S o(0.0);
  const Force<S> U = revolute ? Force<S>{{{I.A.xz, I.A.yz, I.A.zz}}, {{I.B(2, 0), I.B(2, 1), I.B(2, 2)}}}
                              : Force<S>{{{I.B(0, 2), I.B(1, 2), I.B(2, 2)}}, {{I.C.xz, I.C.yz, I.C.zz}}};
  const S inverse = S(1.0) / (revolute ? I.A.zz : I.C.zz), u = tau - (revolute ? p.n[2] : p.f[2]);
  const Force<S> g{inverse * U.n, inverse * U.f};
  I = minus_outer(I, U, g);
  p = {p.n + u * g.n, p.f + u * g.f};
  if (revolute) {
    I.A.xz = I.A.yz = I.A.zz = o;
    for (int k = 0; k < 3; ++k) I.B(2, k) = o;
    p.n[2] = tau;
  } else {
    I.C.xz = I.C.yz = I.C.zz = o;
    for (int k = 0; k < 3; ++k) I.B(k, 2) = o;
    p.f[2] = tau;
  }
  return {g, inverse, u};
}

template <class S>
ArticulatedInertia<S> lean_to_parent(const LeanBody& b, const Turn<S>& turn, const S& q, ArticulatedInertia<S> I) {
  if (b.joint == BodyJoint::prismatic) I = shifted(I, Vec3<S>{{S(0.0), S(0.0), q}});
  I = shifted(ArticulatedInertia<S>{turn_z(turn, I.A), turn_z(turn, I.B), turn_z(turn, I.C)}, cast<S>(b.shift));
  return {block_from_joint(b, I.A), block_from_joint(b, I.B), block_from_joint(b, I.C)};
}

/// Solves the 6×6 system of a free body, [A B; Bᵀ C] (α, a) = wrench, by LDLᵀ in the order a, α.
template <class S>
Motion<S> free_body_acceleration(const ArticulatedInertia<S>& I, const Force<S>& wrench) {
  const Mat3<S> A = dense(I.A), C = dense(I.C);
  S M[6][6], x[6];
  for (int r = 0; r < 3; ++r) {
    x[r] = wrench.f[r], x[3 + r] = wrench.n[r];
    for (int k = 0; k < 3; ++k) M[r][k] = C(r, k), M[3 + r][3 + k] = A(r, k), M[3 + r][k] = M[k][3 + r] = I.B(r, k);
  }
  S inverse[6];
  for (int k = 0; k < 6; ++k) {
    inverse[k] = S(1.0) / M[k][k];
    for (int r = k + 1; r < 6; ++r) {
      const S l = inverse[k] * M[r][k];
      for (int c = k + 1; c <= r; ++c) M[r][c] = M[c][r] = M[r][c] - l * M[c][k];
      x[r] = x[r] - l * x[k];
      M[k][r] = l;
    }
  }
  for (int k = 6; k-- > 0;) {
    x[k] = inverse[k] * x[k];
    for (int r = k + 1; r < 6; ++r) x[k] = x[k] - M[k][r] * x[r];
  }
  return {{{x[3], x[4], x[5]}}, {{x[0], x[1], x[2]}}};
}

/// a = M(q)⁻¹ (tau − bias(q, v) + Σ Jᵀ fx). q: nq; v, tau: nv; fx as in lean_rnea.
template <class S>
std::vector<S> lean_aba(const LeanTree& tree, const S* q_m, const S* v_m, const S* tau_N, const Force<S>* fx = nullptr) {
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m), v_unit = linear_scaled(tree, v_m, 1 / tree.unit);
  const std::vector<S> tau_unit = linear_scaled(tree, tau_N, tree.unit);
  const S *q = q_unit.data(), *tau = tau_unit.data();
  LeanMotion<S> m = lean_forward_pass(tree, q, v_unit.data(), static_cast<const S*>(nullptr), fx);
  const std::size_t n = tree.bodies.size();
  std::vector<ArticulatedInertia<S>> inertia;
  for (const LeanBody& b : tree.bodies) inertia.push_back(articulated<S>(b.inertia));
  std::vector<LeanFreedom<S>> freedom(n);
  for (std::size_t i = n; i-- > 0;) {
    const LeanBody& b = tree.bodies[i];
    if (b.joint == BodyJoint::floating) continue;
    freedom[i] = eliminate_axis(b, tau[b.v], inertia[i], m.force[i]);
    if (b.parent < 0) continue;
    m.force[b.parent] = m.force[b.parent] + lean_to_parent(b, m.turn[i], q[b.q], m.force[i]);
    inertia[b.parent] = inertia[b.parent] + lean_to_parent(b, m.turn[i], q[b.q], inertia[i]);
  }
  std::vector<S> acceleration(static_cast<std::size_t>(tree.nv));
  std::vector<Motion<S>> delta(n, {zero3<S>(), zero3<S>()});
  for (std::size_t i = 0; i < n; ++i) {
    const LeanBody& b = tree.bodies[i];
    S* a = acceleration.data() + b.v;
    if (b.joint == BodyJoint::floating) {
      const S* t = tau + b.v;
      const Force<S> applied{{{t[0], t[1], t[2]}}, {{t[3], t[4], t[5]}}};
      delta[i] = free_body_acceleration(inertia[i], applied - m.force[i]);
      for (int k = 0; k < 3; ++k) a[k] = delta[i].w[k], a[3 + k] = delta[i].v[k];
      continue;
    }
    a[0] = freedom[i].inverse * freedom[i].u;
    if (b.parent >= 0) {
      const Motion<S>& up = delta[b.parent];
      const Vec3<S> al = to_joint(b, up.w);
      delta[i] = {turn_back_z(m.turn[i], al), turn_back_z(m.turn[i], to_joint(b, up.v) + cross(al, b.shift))};
      if (b.joint == BodyJoint::prismatic) delta[i].v = delta[i].v + cross(delta[i].w, Vec3<S>{{S(0.0), S(0.0), q[b.q]}});
      a[0] = a[0] - dot(delta[i], freedom[i].gain);
    }
    S& along = b.joint == BodyJoint::revolute ? delta[i].w[2] : delta[i].v[2];
    along = along + a[0];
  }
  return linear_scaled(tree, acceleration.data(), tree.unit);
}

}  // namespace sparsedyn
