// First derivatives of inverse dynamics on a MinimalTree: the moment matrices of dynamics/derivatives.hpp, passed along axial
// screws and along parallel joints without a turn. The results need z', G and k
// only as 2 z', 2 G and 2 k. So 2 ω is put in for ω once, and no factor 2 is left.
#pragma once

#include "minimal_moments.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn {

/// What one freedom sends towards the base: (f, n) its column of M, 2 k, and the wrenches that a change of its coordinate and
/// of its velocity adds below the joint.
template <class S>
struct MinimalForceColumn {
  Force<S> column, by_q, by_v;
  Vec3<S> k;
};

template <class S>
MinimalForceColumn<S> minimal_to_parent(const MinimalPose<S>& x, const Vec3<S>& rate2, const MinimalForceColumn<S>& y) {
  const Vec3<S> f = turn_z(x.turn, y.column.f);
  return {minimal_to_parent(x, y.column), minimal_to_parent(x, y.by_q), minimal_to_parent(x, y.by_v),
          from_joint(x, turn_z(x.turn, y.k) + cross(rate2, f))};
}

/// Body i in its axes.
template <class S>
struct MinimalBodyState {
  BodyMotion<S> motion;
  Vec3<S> w2;               // 2 ω
  MinimalMoments<S> below;  // with 2 G and 2 p
};

template <class S>
Vec3<S> axis_rate(const Vec3<S>& w) {  // ω × e_z
  return {{w[1], -w[0], S(0.0)}};
}

/// About e_z: z' = ω × e_z, z'' = U e_z =: u,
///   δF_q = u × h + 2 z' × p + z × (F − m a)      δN_q = I u + 2 Q z' + z × N − h × (z × a)
///   δF_v = 2 (z' × h + z × p)                    δN_v = 2 (I z' + Q z)
///   f = z × h,  n = I z,  k = Qᵀ z,              I = tr(Σ) 1 − Σ, Q = tr(G) 1 − Gᵀ
template <class S>
MinimalForceColumn<S> revolute_column(const MinimalBodyState<S>& x) {
  const MinimalMoments<S>& y = x.below;
  const Sym3<S> I = trace_minus(y.second);
  const Mat3<S>& G = y.rate;
  const Mat3<S> Q{{{G(1, 1) + G(2, 2), -G(1, 0), -G(2, 0)},
                   {-G(0, 1), G(0, 0) + G(2, 2), -G(2, 1)},
                   {-G(0, 2), -G(1, 2), G(0, 0) + G(1, 1)}}};
  const Vec3<S> u = detail::column(x.motion.U, 2), z1 = axis_rate(x.motion.w), z2 = axis_rate(x.w2);
  const Vec3<S> za = detail::ez_cross(x.motion.a), F = y.wrench.f - y.m * x.motion.a;
  return {
      {{{I.xz, I.yz, I.zz}}, detail::ez_cross(y.h)},
      {I * u + Q * z1 + detail::ez_cross(y.wrench.n) - cross(y.h, za), cross(u, y.h) + cross(z1, y.p) + detail::ez_cross(F)},
      {I * z2 + detail::column(Q, 2), cross(z2, y.h) + detail::ez_cross(y.p)},
      {{Q(2, 0), Q(2, 1), Q(2, 2)}}};
}

/// Along l, which is a metre on e_z: l' = ω × l, l'' = U l,
///   δF_q = m l''  δN_q = h × l'' + l × F  δF_v = 2 m l'  δN_v = 2 h × l'  f = m l  n = h × l  k = p × l
template <class S>
MinimalForceColumn<S> prismatic_column(const MinimalBodyState<S>& x, double metre) {
  const MinimalMoments<S>& y = x.below;
  const Vec3<S> u = detail::column(x.motion.U, 2), l2 = axis_rate(x.w2), h = metre * y.h;
  const S m = metre * y.m;
  return {{-detail::ez_cross(h), {{S(0.0), S(0.0), m}}},
          {cross(h, u) + metre * detail::ez_cross(y.wrench.f), m * u},
          {cross(h, l2), m * l2},
          -metre * detail::ez_cross(y.p)};
}

/// Freedom c of a free base, which has nobody to send changes to: about e_c f = z × h, n = I z, k = Qᵀ z; along it, by a metre,
/// f = m l, n = h × l, k = p × l.
template <class S>
MinimalForceColumn<S> base_force_column(const MinimalBodyState<S>& x, int c, double metre) {
  const MinimalMoments<S>& y = x.below;
  Vec3<S> e = zero3<S>();
  e[c % 3] = S(c < 3 ? 1.0 : metre);
  const Force<S> none{zero3<S>(), zero3<S>()};
  if (c >= 3) return {{cross(y.h, e), y.m * e}, none, none, cross(y.p, e)};
  const S trace = y.rate(0, 0) + y.rate(1, 1) + y.rate(2, 2);
  return {{trace_minus(y.second) * e, cross(e, y.h)}, none, none, trace * e - y.rate * e};
}

/// A force column of freedom `row.i` at body j of freedom `at`:
///   M = n_z,  ∂τ_i/∂v_j = 2 z' · n + 2 k_z,  ∂τ_i/∂q_j = u · n + 2 z' · k + (a_y, −a_x, 0) · f       revolute
///   M = f_z,  ∂τ_i/∂v_j = 2 l' · f,          ∂τ_i/∂q_j = l'' · f                                     prismatic, by a metre
template <class S>
void meet_axis(const detail::Row<S>& row, const MinimalBody& b, const MinimalBodyState<S>& x, double metre,
               const MinimalForceColumn<S>& y, bool ancestor) {
  const Vec3<S> u = detail::column(x.motion.U, 2), z1 = axis_rate(x.motion.w), z2 = axis_rate(x.w2);
  const Vec3<S>& a = x.motion.a;
  if (b.joint == BodyJoint::revolute) {
    const auto [n, f] = y.column;
    row.mass(b.v, n[2]);
    row.of_i(b.v, dot(u, n) + dot(z1, y.k) + a[1] * f[0] - a[0] * f[1], dot(z2, n) + y.k[2]);
    if (ancestor) row.of_j(b.v, y.by_q.n[2], y.by_v.n[2]);
  } else {
    const Vec3<S> f = metre * y.column.f;
    row.mass(b.v, f[2]);
    row.of_i(b.v, dot(u, f), dot(z2, f));
    if (ancestor) row.of_j(b.v, metre * y.by_q.f[2], metre * y.by_v.f[2]);
  }
}

/// Sᵀ of a wrench: its entry for freedom c.
template <class S>
S freedom_force(BodyJoint joint, const Force<S>& x, int c, double metre) {
  if (joint == BodyJoint::floating) return c < 3 ? x.n[c] : metre * x.f[c - 3];
  return joint == BodyJoint::revolute ? x.n[2] : metre * x.f[2];
}

/// At a free base of velocity (ω, v) whose frame has the proper acceleration a_c = −g when it rests:
///   M = (n, f),  ∂τ_i/∂v = (n × ω + 2 k + v × f, f × ω),  ∂τ_i/∂q = (f × a_c, 0)
template <class S>
void meet_base(const detail::Row<S>& row, const MinimalBody& b, const MinimalBodyState<S>& x, const Vec3<S>& v,
               const Vec3<S>& rest, double metre, const MinimalForceColumn<S>& y, bool ancestor) {
  const auto [n, f] = y.column;
  const Vec3<S> by_q = cross(f, rest), by_w = cross(n, x.motion.w) + y.k + cross(v, f), by_v = metre * cross(f, x.motion.w);
  for (int c = 0; c < 3; ++c) {
    row.mass(b.v + c, n[c]), row.mass(b.v + 3 + c, metre * f[c]);
    row.of_i(b.v + c, by_q[c], by_w[c]), row.of_i(b.v + 3 + c, S(0.0), by_v[c]);
    if (!ancestor) continue;
    row.of_j(b.v + c, y.by_q.n[c], y.by_v.n[c]), row.of_j(b.v + 3 + c, metre * y.by_q.f[c], metre * y.by_v.f[c]);
  }
}

/// As rnea_derivatives, in SI units; tree: not balanced; fx: as in minimal_rnea. Inside, lengths are in the tree's unit, and a
/// linear freedom moves by `metre` of it.
template <class S>
void minimal_derivatives(const MinimalTree& tree, const S* q_m, const S* v_m, const S* a_m, const Force<S>* fx,
                         const RneaDerivatives<S>& out) {
  const double metre = 1 / tree.unit;
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m), v_unit = linear_scaled(tree, v_m, metre);
  const std::vector<S> a_unit = linear_scaled(tree, a_m, metre);
  const S *q = q_unit.data(), *v = v_unit.data(), *a = a_unit.data();
  const MinimalPasses<S> passes = minimal_moment_passes(tree, q, v, a, fx, true);
  const auto& [m, moments, rate2] = passes;
  std::vector<MinimalBodyState<S>> states;
  for (std::size_t i = 0; i < moments.size(); ++i) states.push_back({m.motion[i], m.motion[i].w + m.motion[i].w, moments[i]});
  for (S* matrix : {out.dtau_dq, out.dtau_dv, out.M}) std::fill(matrix, matrix + tree.nv * tree.nv, S(0.0));
  const auto meet = [&](const detail::Row<S>& row, int j, const MinimalForceColumn<S>& y, bool ancestor) {
    const MinimalBody& b = tree.bodies[j];
    if (b.joint != BodyJoint::floating) return meet_axis(row, b, states[j], metre, y, ancestor);
    const Vec3<S> linear{{v[b.v + 3], v[b.v + 4], v[b.v + 5]}};
    const Vec3<S> rest = -transposed_times(rotation_from_quaternion(q + b.q + 3), tree.gravity);
    meet_base(row, b, states[j], linear, rest, metre, y, ancestor);
  };
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const MinimalBody& b = tree.bodies[i];
    for (int c = 0; c < freedoms(b.joint); ++c) {
      const detail::Row<S> row{out, tree.nv, b.v + c};
      MinimalForceColumn<S> y = b.joint == BodyJoint::revolute    ? revolute_column(states[i])
                                : b.joint == BodyJoint::prismatic ? prismatic_column(states[i], metre)
                                                                  : base_force_column(states[i], c, metre);
      out.tau[b.v + c] = freedom_force(b.joint, moments[i].wrench, c, metre);
      meet(row, i, y, false);
      for (int j = i; tree.bodies[j].parent >= 0;) {
        y = minimal_to_parent(m.pose[j], rate2[j], y);
        j = tree.bodies[j].parent;
        meet(row, j, y, true);
      }
    }
  }
}

}  // namespace sparsedyn
