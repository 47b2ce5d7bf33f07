// Forward dynamics on a MinimalTree: joints are eliminated one by one, tips first. Accelerations are counted from the motion at
// zero joint acceleration, so velocities enter an inverse dynamics at the beginning and nothing after it.
//
// A joint that is not eliminated yet is a column: the wrench F that a unit of its acceleration asks for, carried from body to
// body, and its entries of the joint-space inertia M with the joints passed on the way. Any body may eliminate all columns that
// arrive there,
//   I − F M⁻¹ Fᵀ,   p + F M⁻¹ u,   u = τ − Sᵀp.
// At every body: the articulated-body algorithm (Featherstone 2008, ch. 7). At the base alone: composite bodies and M = LᵀDL
// (Walker and Orin 1982, Featherstone 2005). In between: whichever is cheaper, branch by branch.
#pragma once

#include "minimal_crba.hpp"
#include "sparsedyn/dynamics/detail/articulated_inertia.hpp"

namespace sparsedyn {

/// Flags of the bodies that eliminate the columns which arrive. Bodies on the world always do.
using EliminationBodies = std::vector<bool>;

template <class S>
ArticulatedInertia<S> minimal_to_parent(const MinimalPose<S>& x, ArticulatedInertia<S> I) {
  I = shifted(ArticulatedInertia<S>{turn_z(x.turn, I.A), turn_z(x.turn, I.B), turn_z(x.turn, I.C)}, x.shift);
  return {block_from_joint(x, I.A), block_from_joint(x, I.B), block_from_joint(x, I.C)};
}

/// I S for a joint about or along z.
template <class S>
Force<S> column_of_axis(BodyJoint joint, const ArticulatedInertia<S>& I) {
  if (joint == BodyJoint::revolute) return {{{I.A.xz, I.A.yz, I.A.zz}}, {{I.B(2, 0), I.B(2, 1), I.B(2, 2)}}};
  return {{{I.B(0, 2), I.B(1, 2), I.B(2, 2)}}, {{I.C.xz, I.C.yz, I.C.zz}}};
}
template <class S>
const S& along_axis(BodyJoint joint, const Force<S>& x) {
  return joint == BodyJoint::revolute ? x.n[2] : x.f[2];
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

/// A joint as a column, by its body.
template <class S>
struct MinimalColumn {
  Force<S> wrench;      // F, at the body it has come to; after elimination F D⁻¹
  std::vector<S> mass;  // M with the bodies passed; after elimination L
  S inverse, u;         // D⁻¹; what is left of the torque
};

template <class S>
struct MinimalElimination {
  const MinimalTree& tree;
  MinimalMotion<S> m;                          // its forces become p
  std::vector<Inertia<S>> composite;           // of bodies below which nothing is eliminated, or that body's own share
  std::vector<ArticulatedInertia<S>> inertia;  // of the others
  std::vector<bool> articulated;               // which of the two
  std::vector<MinimalColumn<S>> column;
  std::vector<std::vector<int>> arrived;  // columns at a body, tips first
  std::vector<Motion<S>> delta;           // acceleration less that at q̈ = 0

  MinimalElimination(const MinimalTree& t, MinimalMotion<S> motion)
      : tree(t),
        m(std::move(motion)),
        articulated(t.bodies.size(), false),
        arrived(t.bodies.size()),
        delta(t.bodies.size(), {zero3<S>(), zero3<S>()}) {
    const std::size_t n = tree.bodies.size();
    for (const MinimalPose<S>& x : m.pose) composite.push_back(x.inertia);
    inertia.resize(n);
    column.resize(n);
    for (MinimalColumn<S>& c : column) c.mass.assign(n, S(0.0));
  }

  ArticulatedInertia<S> total(int i) const { return articulated[i] ? inertia[i] : sparsedyn::articulated<S>(composite[i]); }

  /// Joint i becomes a column.
  void begin(int i, const S& tau) {
    const BodyJoint joint = tree.bodies[i].joint;
    MinimalColumn<S>& c = column[i];
    for (int k : arrived[i]) column[k].mass[i] = along_axis(joint, column[k].wrench);
    c.wrench = column_of_axis(joint, total(i));
    c.mass[i] = along_axis(joint, c.wrench);
    c.u = tau - along_axis(joint, m.force[i]);
    arrived[i].push_back(i);
  }

  /// Eliminates what has arrived at body i; `last`: nothing below it concerns anybody else.
  void eliminate(int i, bool last) {
    const std::vector<int>& list = arrived[i];
    ArticulatedInertia<S> I = total(i);
    for (std::size_t at = 0; at < list.size(); ++at) {
      MinimalColumn<S>& c = column[list[at]];
      c.inverse = S(1.0) / c.mass[list[at]];
      const std::vector<S> row = c.mass;
      const Force<S> F = c.wrench;
      for (std::size_t next = at + 1; next < list.size(); ++next) {
        const int j = list[next];
        if (!above(j, list[at])) continue;
        c.mass[j] = row[j] * c.inverse;
        for (int k = j; k >= 0 && passed(k, i); k = tree.bodies[k].parent)
          column[j].mass[k] = column[j].mass[k] - c.mass[j] * row[k];
        column[j].u = column[j].u - c.mass[j] * c.u;
        column[j].wrench = column[j].wrench - Force<S>{c.mass[j] * F.n, c.mass[j] * F.f};
      }
      if (last) continue;
      c.wrench = {c.inverse * F.n, c.inverse * F.f};
      I = minus_outer(I, F, c.wrench);
      m.force[i] = m.force[i] + Force<S>{c.u * c.wrench.n, c.u * c.wrench.f};
    }
    inertia[i] = I;
    articulated[i] = true;
  }

  /// Whether j is an ancestor of k.
  bool above(int j, int k) const {
    while (k > j) k = tree.bodies[k].parent;
    return k == j;
  }
  /// Whether columns pass joint k on the way to body i: its joint is between, or its own.
  bool passed(int k, int i) const { return k >= i && tree.bodies[k].joint != BodyJoint::floating; }

  /// Wrench, inertia and columns of body i go to its parent.
  void hand_up(int i, bool eliminated) {
    const int parent = tree.bodies[i].parent;
    const MinimalPose<S>& x = m.pose[i];
    m.force[parent] = m.force[parent] + minimal_to_parent(x, m.force[i]);
    if (articulated[i]) {
      inertia[parent] = total(parent) + minimal_to_parent(x, inertia[i]);
      articulated[parent] = true;
    } else if (articulated[parent]) {
      inertia[parent] = inertia[parent] + sparsedyn::articulated<S>(minimal_to_parent(x, composite[i]));
    } else {
      composite[parent] = composite[parent] + minimal_to_parent(x, composite[i]);
    }
    if (eliminated) return;
    for (int k : arrived[i]) column[k].wrench = minimal_to_parent(x, column[k].wrench);
    arrived[parent].insert(arrived[parent].end(), arrived[i].begin(), arrived[i].end());
  }

  /// Accelerations of the joints eliminated at body i, whose joint is crossed by `delta`; nearest first.
  void substitute(int i, const Motion<S>& d, bool fixed, S* acceleration) {
    const std::vector<int>& list = arrived[i];
    for (std::size_t at = list.size(); at-- > 0;) {
      const MinimalColumn<S>& c = column[list[at]];
      S& a = acceleration[tree.bodies[list[at]].v];
      a = c.inverse * c.u;
      if (!fixed) a = a - dot(d, c.wrench);
      for (std::size_t next = at + 1; next < list.size(); ++next)
        if (above(list[next], list[at])) a = a - c.mass[list[next]] * acceleration[tree.bodies[list[next]].v];
    }
  }
};

/// a = M(q)⁻¹ (tau − bias(q, v) + Σ Jᵀ fx). q: nq; v, tau: nv; fx as in minimal_rnea.
template <class S>
std::vector<S> minimal_forward_dynamics(const MinimalTree& tree, const EliminationBodies& at, const S* q_m, const S* v_m,
                                        const S* tau_N, const Force<S>* fx = nullptr) {
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m), v_unit = linear_scaled(tree, v_m, 1 / tree.unit);
  const std::vector<S> tau_unit = linear_scaled(tree, tau_N, tree.unit);
  const S* tau = tau_unit.data();
  const int n = static_cast<int>(tree.bodies.size());
  MinimalElimination<S> e(tree, minimal_forward_pass(tree, q_unit.data(), v_unit.data(), static_cast<const S*>(nullptr), fx));
  std::vector<S> acceleration(static_cast<std::size_t>(tree.nv));
  for (int i = n; i-- > 0;) {
    const MinimalBody& b = tree.bodies[i];
    const bool here = b.parent < 0 || at[i];
    if (b.joint != BodyJoint::floating) e.begin(i, tau[b.v]);
    if (here) e.eliminate(i, b.parent < 0 && b.joint != BodyJoint::floating);
    if (b.parent >= 0) e.hand_up(i, here);
  }
  for (int i = 0; i < n; ++i) {
    const MinimalBody& b = tree.bodies[i];
    const MinimalPose<S>& x = e.m.pose[i];
    if (b.joint == BodyJoint::floating) {
      const S* t = tau + b.v;
      const Force<S> applied{{{t[0], t[1], t[2]}}, {{t[3], t[4], t[5]}}};
      e.delta[i] = free_body_acceleration(e.inertia[i], applied - e.m.force[i]);
      for (int k = 0; k < 3; ++k) acceleration[b.v + k] = e.delta[i].w[k], acceleration[b.v + 3 + k] = e.delta[i].v[k];
      e.substitute(i, e.delta[i], false, acceleration.data());
      continue;
    }
    if (b.parent >= 0) {
      const Motion<S>& up = e.delta[b.parent];
      const Vec3<S> al = to_joint(x, up.w);
      e.delta[i] = {turn_back_z(x.turn, al), turn_back_z(x.turn, to_joint(x, up.v) + cross(al, x.shift))};
    }
    if (b.parent < 0 || at[i]) e.substitute(i, e.delta[i], b.parent < 0, acceleration.data());
    S& along = b.joint == BodyJoint::revolute ? e.delta[i].w[2] : e.delta[i].v[2];
    along = along + acceleration[b.v];
  }
  return linear_scaled(tree, acceleration.data(), tree.unit);
}

}  // namespace sparsedyn
