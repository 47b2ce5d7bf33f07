// The joint-space inertia matrix: the composite-rigid-body algorithm (Walker & Orin 1982; Featherstone 2008, Table 6.2) with
// second moments. Its inverse, from its factors: M = Lᵀ D L, then rows of L⁻¹ D⁻¹ L⁻ᵀ.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/composite/carried_columns.hpp"
#include "sparsedyn/dynamics/detail/instantiate.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {

inline namespace SPARSEDYN_CODE {

/// The wrench that accelerates a rigid body by one unit along z (angular): n = (tr Σ 1 − Σ) z, f = z × h.
template <class S>
Force<S> angular_z_wrench(const Inertia<S>& I) {
  return {{{-I.moments.xz, -I.moments.yz, I.moments.xx + I.moments.yy}}, {{-I.h[1], I.h[0], S(0.0)}}};
}

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Entries of M but those that are zero, a column after the other: what moves a composite body along freedom j, projected on
/// its joint and on all above it. composite, start: as of write_columns_together.
template <class S, class Composite, class Start>
[[gnu::always_inline]] inline void write_columns_alone(const Model& model, Workspace<S>& ws, Composite&& composite,
                                                       Start&& start, S* M) {
  const int nv = model.nv;
  for (int i = static_cast<int>(model.bodies.size()) - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    composite(i);
    for (int j = body.v; j < body.v + freedoms(body.joint); ++j) {
      S* row = M + j * nv;
      Force<S> F = start(i, j);
      joint_force(body, F, row);
      for (int k = i; model.bodies[k].parent >= 0;) {
        F = to_parent(ws.pose[k], F);
        k = model.bodies[k].parent;
        joint_force(model.bodies[k], F, row);
      }
      for (int k = ws.tree_parent_freedom[j]; k >= 0; k = ws.tree_parent_freedom[k]) M[k * nv + j] = row[k];
    }
  }
}

/// Entries of M but those that are zero, from poses, and from bodies' inertias, which composite bodies replace. together: as
/// ws.carried.together allows.
template <bool together, class S>
[[gnu::always_inline]] inline void write_columns(const Model& model, Workspace<S>& ws, S* M) {
  const auto composite = [&](int i) __attribute__((always_inline)) {
    const int parent = model.bodies[i].parent;
    if (parent >= 0) ws.composite[parent] = ws.composite[parent] + to_parent(ws.pose[i], ws.composite[i]);
  };
  const auto start = [&](int i, int j) __attribute__((always_inline)) {
    const Body& body = model.bodies[i];
    return body.joint == BodyJoint::revolute ? angular_z_wrench(ws.composite[i])
                                             : ws.composite[i] * cast<Constant<S>>(motion_subspace(body, j - body.v));
  };
  if constexpr (together)
    write_columns_together(model, ws.pose, ws.carried, composite, start, M);
  else
    write_columns_alone(model, ws, composite, start, M);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// M(q) with armature, nv × nv, row by row, symmetric, all entries written (exact zeros between branches). q: nq.
/// O(n · depth), no heap.
template <class S>
void crba(const Model& model, Workspace<S>& ws, const S* q, S* M) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // M = Gᵀ M_t G
    S* const tree = ws.tree.matrix[0].data();
    crba(map->tree, ws, tree_positions(*map, q, ws.tree.q.data()), tree);
    return gather_matrix(*map, tree, M);
  }
  const int n = static_cast<int>(model.bodies.size()), nv = model.nv;
  for (int i = 0; i < nv * nv; ++i) M[i] = S(0.0);
  for (int i = 0; i < n; ++i) {
    if (model.bodies[i].parent >= 0) ws.pose[i] = joint_pose(model.bodies[i], q);  // M does not depend on a root's q
    ws.composite[i] = inertia_in<S>(model.bodies[i].inertia);
  }
  bool together = false;
  if constexpr (detail::carries_fours<S>) together = ws.carried.together;
  if (together)
    detail::write_columns<detail::carries_fours<S>>(model, ws, M);
  else
    detail::write_columns<false>(model, ws, M);
  add_armature<S>(model, [&](int k) -> S& { return M[k * nv + k]; });
}

#define SPARSEDYN_DECLARE(S) extern template void crba(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Sizes of the diagonal of Gᵀ M_t G: Σ multiplier² size.
template <class S>
void set_joined_sizes(const CoordinateMap& map, const Workspace<S>& ws, PackedLtdl<S>& M) {
  if constexpr (Magnitude<S>::exists) {
    for (std::size_t k = 0; k < map.joined.size(); ++k) M.size(static_cast<int>(k)) = S(0.0);
    for (std::size_t i = 0; i < map.tree.bodies.size(); ++i) {
      const Body& body = map.tree.bodies[i];
      const Sym3<S>& moments = ws.composite[i].moments;
      for (int c = 0; c < freedoms(body.joint); ++c) {
        const CoordinateMap::Entry& e = map.v[static_cast<std::size_t>(body.v + c)];
        add_times(e.multiplier * e.multiplier,
                  size_along(body.joint, c, Vec3<S>{{moments.xx, moments.yy, moments.zz}}, ws.composite[i].m), M.size(e.index));
      }
    }
  }
}

/// Takes M (nv × nv), which crba has left together with composite bodies in ws, into ws.factors. Returns as factor() does.
template <class S>
int factor_inertia(const Model& model, Workspace<S>& ws, const S* M) noexcept {
  ws.factors.take(M);
  if (model.coordinate_map)
    set_joined_sizes(*model.coordinate_map, ws, ws.factors);
  else
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Sym3<S>& moments = ws.composite[i].moments;
      set_sizes(model.bodies[i], Vec3<S>{{moments.xx, moments.yy, moments.zz}}, ws.composite[i].m, ws.factors);
    }
  return ws.factors.factor();
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// M(q)⁻¹, nv × nv row by row, symmetric, all entries written. q: nq. O(n² · depth), no heap. If M is singular, the entry of v
/// nearest to the tips at which it is so is returned and nothing is to be used.
template <class S>
DynamicsStatus minverse(const Model& model, Workspace<S>& ws, const S* q, S* inverse) noexcept {
  DynamicsStatus status;
  crba(model, ws, q, inverse);
  status.singular = detail::factor_inertia(model, ws, static_cast<const S*>(inverse));
  ws.factors.inverse(ws.inverse);
  ws.inverse.copy_columns(model.nv, 0, model.nv, inverse);
  return status;
}

#define SPARSEDYN_DECLARE(S) extern template DynamicsStatus minverse(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
