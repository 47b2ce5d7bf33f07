// The joint-space inertia matrix on a LeanTree (composite bodies: Walker & Orin 1982, Featherstone 2008 ch. 6), and
// forward dynamics by its factors.
#pragma once

#include "sparsedyn/program/branch_factors.hpp"
#include "sparsedyn/program/lean_dynamics.hpp"

namespace sparsedyn {

/// Freedoms of the base count as a chain of six.
std::vector<int> freedom_parents(const LeanTree& tree);
std::vector<int> freedom_parents(const Model& model);

template <class S>
std::vector<Inertia<S>> composite_inertias(const LeanTree& tree, const std::vector<Turn<S>>& turns, const S* q) {
  std::vector<Inertia<S>> composite;
  for (const LeanBody& b : tree.bodies) composite.push_back({S(b.inertia.m), cast<S>(b.inertia.h), {}});
  for (std::size_t i = 0; i < composite.size(); ++i) {
    const Sym3<double>& s = tree.bodies[i].inertia.moments;
    composite[i].moments = {S(s.xx), S(s.xy), S(s.xz), S(s.yy), S(s.yz), S(s.zz)};
  }
  for (std::size_t i = composite.size(); i-- > 0;) {
    const LeanBody& b = tree.bodies[i];
    if (b.parent < 0) continue;
    Inertia<S> I = composite[i];
    if (b.joint == BodyJoint::prismatic) I = shifted(I, Vec3<S>{{S(0.0), S(0.0), q[b.q]}});
    I = shifted(Inertia<S>{I.m, turn_z(turns[i], I.h), turn_z(turns[i], I.moments)}, b.shift);
    composite[b.parent] = composite[b.parent] + Inertia<S>{I.m, from_joint(b, I.h), block_from_joint(b, I.moments)};
  }
  return composite;
}

/// Rows of a floating base: the wrench (n, f) of each of its unit accelerations (α, a).
template <class S>
void base_rows(const LeanBody& b, const Inertia<S>& I, std::vector<std::vector<S>>& M) {
  const Mat3<S> J = dense(trace_minus(I.moments)), H = hat(I.h);
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) {
      if (k <= r) M[b.v + r][b.v + k] = J(r, k), M[b.v + 3 + r][b.v + 3 + k] = r == k ? I.m : S(0.0);
      M[b.v + 3 + r][b.v + k] = H(k, r);
    }
}

/// M(q), in the tree's units.
template <class S>
JointSpaceMatrix<S> lean_crba(const LeanTree& tree, const S* q_m) {
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m);
  const S* q = q_unit.data();
  const std::vector<Turn<S>> turns = joint_turns(tree, q);
  const std::vector<Inertia<S>> composite = composite_inertias(tree, turns, q);
  JointSpaceMatrix<S> M{freedom_parents(tree), {}};
  for (int i = 0; i < tree.nv; ++i) M.lower.emplace_back(static_cast<std::size_t>(i + 1), S(0.0));
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const LeanBody* b = &tree.bodies[i];
    const Inertia<S>& I = composite[i];
    if (b->joint == BodyJoint::floating) {
      base_rows(*b, I, M.lower);
      continue;
    }
    std::vector<S>& row = M.lower[b->v];
    const S o(0.0);
    Force<S> x = b->joint == BodyJoint::revolute
                     ? Force<S>{{{-I.moments.xz, -I.moments.yz, I.moments.xx + I.moments.yy}}, {{-I.h[1], I.h[0], o}}}
                     : Force<S>{{{I.h[1], -I.h[0], o}}, {{o, o, I.m}}};
    row[b->v] = b->joint == BodyJoint::revolute ? x.n[2] : x.f[2];
    for (std::size_t k = i; b->parent >= 0;) {
      x = lean_to_parent(*b, turns[k], q[b->q], x);
      k = static_cast<std::size_t>(b->parent);
      b = &tree.bodies[k];
      if (b->joint == BodyJoint::floating)
        for (int c = 0; c < 3; ++c) row[b->v + c] = x.n[c], row[b->v + 3 + c] = x.f[c];
      else
        row[b->v] = b->joint == BodyJoint::revolute ? x.n[2] : x.f[2];
    }
  }
  return M;
}

/// a = M(q)⁻¹ (tau − bias(q, v) + Σ Jᵀ fx), as lean_aba.
template <class S>
std::vector<S> lean_joint_space_dynamics(const LeanTree& tree, const S* q, const S* v, const S* tau,
                                         const Force<S>* fx = nullptr) {
  std::vector<S> rest = lean_rnea(tree, q, v, static_cast<const S*>(nullptr), fx);
  for (int k = 0; k < tree.nv; ++k) rest[k] = tau[k] - rest[k];
  rest = branch_solve(branch_factors(lean_crba(tree, q)), linear_scaled(tree, rest.data(), tree.unit));
  return linear_scaled(tree, rest.data(), tree.unit);
}

}  // namespace sparsedyn
