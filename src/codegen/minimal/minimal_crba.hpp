// The joint-space inertia matrix on a MinimalTree (composite bodies: Walker & Orin 1982, Featherstone 2008 ch. 6).
#pragma once

#include "branch_factors.hpp"
#include "minimal_dynamics.hpp"

namespace sparsedyn {

/// Freedoms of the base count as a chain of six.
std::vector<int> freedom_parents(const MinimalTree& tree);
std::vector<int> freedom_parents(const Model& model);

/// A body's inertia about its parent's origin, in the parent's axes.
template <class S>
Inertia<S> minimal_to_parent(const MinimalPose<S>& x, const Inertia<S>& inertia) {
  const Inertia<S> I = shifted(Inertia<S>{inertia.m, turn_z(x.turn, inertia.h), turn_z(x.turn, inertia.moments)}, x.shift);
  return {I.m, from_joint(x, I.h), block_from_joint(x, I.moments)};
}

template <class S>
std::vector<Inertia<S>> composite_inertias(const MinimalTree& tree, const std::vector<MinimalPose<S>>& poses) {
  std::vector<Inertia<S>> composite;
  for (const MinimalPose<S>& x : poses) composite.push_back(x.inertia);
  for (std::size_t i = composite.size(); i-- > 0;) {
    const int parent = tree.bodies[i].parent;
    if (parent >= 0) composite[parent] = composite[parent] + minimal_to_parent(poses[i], composite[i]);
  }
  return composite;
}

/// Rows of a floating base: the wrench (n, f) of each of its unit accelerations (α, a); linear ones by a metre.
template <class S>
void base_rows(const MinimalBody& b, const Inertia<S>& I, double metre, std::vector<std::vector<S>>& M) {
  const Mat3<S> J = dense(trace_minus(I.moments)), H = hat(metre * I.h);
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) {
      if (k <= r) M[b.v + r][b.v + k] = J(r, k), M[b.v + 3 + r][b.v + 3 + k] = r == k ? metre * metre * I.m : S(0.0);
      M[b.v + 3 + r][b.v + k] = H(k, r);
    }
}

/// M(q) in SI units. Inside, lengths are in the tree's unit, and a linear freedom moves by `metre` of it.
template <class S>
JointSpaceMatrix<S> minimal_crba(const MinimalTree& tree, const S* q_m) {
  const double metre = 1 / tree.unit;
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m);
  const S* q = q_unit.data();
  const std::vector<MinimalPose<S>> poses = minimal_poses(tree, q);
  const std::vector<Inertia<S>> composite = composite_inertias(tree, poses);
  JointSpaceMatrix<S> M{freedom_parents(tree), {}};
  for (int i = 0; i < tree.nv; ++i) M.lower.emplace_back(static_cast<std::size_t>(i + 1), S(0.0));
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MinimalBody* b = &tree.bodies[i];
    const Inertia<S>& I = composite[i];
    if (b->joint == BodyJoint::floating) {
      base_rows(*b, I, metre, M.lower);
      continue;
    }
    std::vector<S>& row = M.lower[b->v];
    const S o(0.0);
    Force<S> x = b->joint == BodyJoint::revolute
                     ? Force<S>{{{-I.moments.xz, -I.moments.yz, I.moments.xx + I.moments.yy}}, {{-I.h[1], I.h[0], o}}}
                     : Force<S>{metre * Vec3<S>{{I.h[1], -I.h[0], o}}, {{o, o, metre * I.m}}};
    row[b->v] = b->joint == BodyJoint::revolute ? x.n[2] : metre * x.f[2];
    for (std::size_t k = i; b->parent >= 0;) {
      x = minimal_to_parent(poses[k], x);
      k = static_cast<std::size_t>(b->parent);
      b = &tree.bodies[k];
      if (b->joint == BodyJoint::floating)
        for (int c = 0; c < 3; ++c) row[b->v + c] = x.n[c], row[b->v + 3 + c] = metre * x.f[c];
      else
        row[b->v] = b->joint == BodyJoint::revolute ? x.n[2] : metre * x.f[2];
    }
  }
  return M;
}

}  // namespace sparsedyn
