// The joint-space inertia matrix on a MinimalTree (composite bodies: Walker & Orin 1982, Featherstone 2008 ch. 6).
#pragma once

#include <algorithm>

#include "branch_factors.hpp"
#include "column_options.hpp"
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

/// An inertia by its tensor in place of the second moments. Where parameters are inputs, a body's own is made of these inputs
/// as they are, and so is M's diagonal; a shift takes an addition more.
template <class S>
struct TensorInertia {
  S m;
  Vec3<S> h;
  Sym3<S> tensor;

  TensorInertia(const S& mass, const Vec3<S>& first, const Sym3<S>& I) : m(mass), h(first), tensor(I) {}
  explicit TensorInertia(const Inertia<S>& I) : m(I.m), h(I.h), tensor(trace_minus(I.moments)) {}
};
template <class S>
TensorInertia<S> operator+(const TensorInertia<S>& a, const TensorInertia<S>& b) {
  return {a.m + b.m, a.h + b.h, a.tensor + b.tensor};
}
template <class S>
Sym3<S> tensor_of(const Inertia<S>& I) {
  return trace_minus(I.moments);
}
template <class S>
Sym3<S> tensor_of(const TensorInertia<S>& I) {
  return I.tensor;
}

/// With h' = h + m d: I + (h + h')·d 1 − h dᵀ − d h'ᵀ.
template <class S>
TensorInertia<S> minimal_to_parent(const MinimalPose<S>& x, const TensorInertia<S>& inertia) {
  const Vec3<S>& d = x.shift;
  const Vec3<S> h = turn_z(x.turn, inertia.h), to = h + inertia.m * d;
  Sym3<S> I = turn_z(x.turn, inertia.tensor);
  const auto along = [&](int k) { return d[k] * (h[k] + to[k]); };
  const auto across = [&](int i, int k) { return h[i] * d[k] + d[i] * to[k]; };
  const S own[] = {along(0), along(1), along(2)};
  I.xx = I.xx + (own[1] + own[2]), I.yy = I.yy + (own[0] + own[2]), I.zz = I.zz + (own[0] + own[1]);
  I.xy = I.xy - across(0, 1), I.xz = I.xz - across(0, 2), I.yz = I.yz - across(1, 2);
  return {inertia.m, from_joint(x, to), block_from_joint(x, I)};
}

/// Of each body and all that it carries, about its origin.
template <class Composite, class S>
std::vector<Composite> composite_inertias(const MinimalTree& tree, const std::vector<MinimalPose<S>>& poses) {
  std::vector<Composite> composite;
  for (const MinimalPose<S>& x : poses) composite.push_back(Composite(x.inertia));
  for (std::size_t i = composite.size(); i-- > 0;) {
    const int parent = tree.bodies[i].parent;
    if (parent >= 0) composite[parent] = composite[parent] + minimal_to_parent(poses[i], composite[i]);
  }
  return composite;
}

/// Of the tensor: the moment of a unit acceleration about z.
template <class Composite>
auto turning_column(const Composite& I) {
  const auto tensor = tensor_of(I);
  return decltype(I.h){{tensor.xz, tensor.yz, tensor.zz}};
}

/// Rows of a floating base: the wrench (n, f) of each of its unit accelerations (α, a); linear ones by a metre.
template <class Composite, class S>
void base_rows(const MinimalBody& b, const Composite& I, double metre, std::vector<std::vector<S>>& M) {
  const Mat3<S> J = dense(tensor_of(I)), H = hat(metre * I.h);
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) {
      if (k <= r) M[b.v + r][b.v + k] = J(r, k), M[b.v + 3 + r][b.v + 3 + k] = r == k ? metre * metre * I.m : S(0.0);
      M[b.v + 3 + r][b.v + k] = H(k, r);
    }
}

/// The wrench that a unit of a joint's acceleration asks for, f times `mass`: 1, or where a prismatic joint's force is kept as
/// a unit vector, the mass that it moves. Joints along one direction then share it.
template <class S>
struct JointColumn {
  Force<S> wrench;
  S mass;
  bool scaled;
  Turn<S> pending;  // about z of the axes, which it has still to make

  Vec3<S> force() const { return scaled ? mass * wrench.f : wrench.f; }
  S along(BodyJoint joint) const {
    if (joint == BodyJoint::revolute) return wrench.n[2];
    return scaled ? mass * wrench.f[2] : wrench.f[2];
  }
};

template <class Composite, class S = decltype(Composite::m)>
JointColumn<S> joint_column(BodyJoint joint, const Composite& I, double metre, bool unit_forces) {
  const S o(0.0), one(1.0);
  if (joint == BodyJoint::revolute) return {{turning_column(I), {{-I.h[1], I.h[0], o}}}, one, false, {one, o}};
  const Vec3<S> n = metre * Vec3<S>{{I.h[1], -I.h[0], o}};
  if (unit_forces) return {{n, {{o, o, one}}}, metre * I.m, true, {one, o}};
  return {{n, {{o, o, metre * I.m}}}, one, false, {one, o}};
}

template <class S>
Turn<S> joined(const Turn<S>& a, const Turn<S>& b) {
  return {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

/// About the parent's origin, in the parent's axes; with `joined_turns` in axes that `pending` turns into these. The shift
/// along the axis commutes with the turn about it: with `along_first` it is made before.
template <class S>
JointColumn<S> minimal_to_parent(const MinimalPose<S>& x, const JointColumn<S>& column, bool joined_turns, bool along_first) {
  const Turn<S> turn = joined(x.turn, column.pending);
  const Vec3<S> f = turn_z(turn, column.wrench.f), d = column.scaled ? column.mass * x.shift : x.shift;
  const S o(0.0);
  const Vec3<S> along{{o, o, along_first ? d[2] : o}}, across{{d[0], d[1], along_first ? o : d[2]}};
  const Vec3<S> moment = turn_z(turn, column.wrench.n + cross(along, column.wrench.f)) + cross(across, f);
  const Force<S> before{turn_x(x.alpha, moment), turn_x(x.alpha, f)};
  if (joined_turns) return {before, column.mass, column.scaled, x.before};
  return {{turn_z(x.before, before.n), turn_z(x.before, before.f)}, column.mass, column.scaled, {S(1.0), S(0.0)}};
}

/// M(q) in SI units. Inside, lengths are in the tree's unit, and a linear freedom moves by `metre` of it. Composite: Inertia or
/// TensorInertia.
template <class Composite, class S>
JointSpaceMatrix<S> minimal_crba_by(const MinimalTree& tree, const S* q_m, const ColumnOptions& options) {
  const double metre = 1 / tree.unit;
  const std::vector<S> q_unit = coordinates_in_unit(tree, q_m);
  const S* q = q_unit.data();
  const std::vector<MinimalPose<S>> poses = minimal_poses(tree, q);
  const std::vector<Composite> composite = composite_inertias<Composite>(tree, poses);
  JointSpaceMatrix<S> M{freedom_parents(tree), {}};
  for (int i = 0; i < tree.nv; ++i) M.lower.emplace_back(static_cast<std::size_t>(i + 1), S(0.0));
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MinimalBody* b = &tree.bodies[i];
    const Composite& I = composite[i];
    if (b->joint == BodyJoint::floating) {
      base_rows(*b, I, metre, M.lower);
      continue;
    }
    std::vector<S>& row = M.lower[b->v];
    JointColumn<S> x = joint_column(b->joint, I, metre, options.unit_forces);
    row[b->v] = b->joint == BodyJoint::revolute ? x.along(b->joint) : metre * x.along(b->joint);
    for (std::size_t k = i; b->parent >= 0;) {
      const bool along_first = std::count(options.along_first.begin(), options.along_first.end(), static_cast<int>(k)) > 0;
      const bool base = tree.bodies[b->parent].joint == BodyJoint::floating;
      x = minimal_to_parent(poses[k], x, options.joined_turns && !base, along_first);
      k = static_cast<std::size_t>(b->parent);
      b = &tree.bodies[k];
      if (base) {
        const Vec3<S> f = x.force();
        for (int c = 0; c < 3; ++c) row[b->v + c] = x.wrench.n[c], row[b->v + 3 + c] = metre * f[c];
      } else {
        row[b->v] = b->joint == BodyJoint::revolute ? x.along(b->joint) : metre * x.along(b->joint);
      }
    }
  }
  return M;
}
template <class S>
JointSpaceMatrix<S> minimal_crba(const MinimalTree& tree, const S* q, bool tensors, const ColumnOptions& options = {}) {
  return tensors ? minimal_crba_by<TensorInertia<S>>(tree, q, options) : minimal_crba_by<Inertia<S>>(tree, q, options);
}

}  // namespace sparsedyn
