// The joint-space inertia matrix: the composite-rigid-body algorithm (Walker & Orin 1982; Featherstone 2008, Table 6.2) with
// second moments. Its inverse, from its factors: M = Lᵀ D L, then rows of L⁻¹ D⁻¹ L⁻ᵀ.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/detail/instantiate.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/joint.hpp"

namespace sparsedyn {

inline namespace SPARSEDYN_CODE {

/// The wrench that accelerates a rigid body by one unit along z (angular): n = (tr Σ 1 − Σ) z, f = z × h.
template <class S>
Force<S> angular_z_wrench(const Inertia<S>& I) {
  return {{{-I.moments.xz, -I.moments.yz, I.moments.xx + I.moments.yy}}, {{-I.h[1], I.h[0], S(0.0)}}};
}

}  // namespace SPARSEDYN_CODE

/// M(q) with armature, nv × nv, row by row, symmetric, all entries written (exact zeros between branches). q: nq.
/// O(n · depth), no heap.
template <class S>
void crba(const Model& model, Workspace<S>& ws, const S* q, S* M) noexcept {
  const int n = static_cast<int>(model.bodies.size()), nv = model.nv;
  for (int i = 0; i < nv * nv; ++i) M[i] = S(0.0);
  for (int i = 0; i < n; ++i) {
    if (model.bodies[i].parent >= 0) ws.pose[i] = joint_pose(model.bodies[i], q);  // M does not depend on a root's q
    ws.composite[i] = cast<S>(cast<Constant<S>>(model.bodies[i].inertia));
  }
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    if (body.parent >= 0) ws.composite[body.parent] = ws.composite[body.parent] + to_parent(ws.pose[i], ws.composite[i]);
    // column of freedom j: what moves the composite body along S_j, projected on this joint and on all above it
    for (int j = body.v; j < body.v + freedoms(body.joint); ++j) {
      S* row = M + j * nv;
      Force<S> F = body.joint == BodyJoint::revolute ? angular_z_wrench(ws.composite[i])
                                                     : ws.composite[i] * cast<Constant<S>>(motion_subspace(body, j - body.v));
      joint_force(body, F, row);
      for (int k = i; model.bodies[k].parent >= 0;) {
        F = to_parent(ws.pose[k], F);
        k = model.bodies[k].parent;
        joint_force(model.bodies[k], F, row);
      }
      for (int k = ws.parent_freedom[j]; k >= 0; k = ws.parent_freedom[k]) M[k * nv + j] = row[k];
    }
  }
  add_armature<S>(model, [&](int k) -> S& { return M[k * nv + k]; });
}

#define SPARSEDYN_DECLARE(S) extern template void crba(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

/// M(q)⁻¹, nv × nv row by row, symmetric, all entries written. q: nq. O(n² · depth), no heap. If M is singular, the entry of v
/// nearest to the tips at which it is so is returned and nothing is to be used.
template <class S>
DynamicsStatus minverse(const Model& model, Workspace<S>& ws, const S* q, S* inverse) noexcept {
  DynamicsStatus status;
  crba(model, ws, q, inverse);
  ws.factors.take(inverse);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Sym3<S>& moments = ws.composite[i].moments;
    set_sizes(model.bodies[i], Vec3<S>{{moments.xx, moments.yy, moments.zz}}, ws.composite[i].m, ws.factors);
  }
  status.singular = ws.factors.factor();
  ws.factors.inverse(ws.inverse);
  ws.inverse.copy_columns(model.nv, 0, model.nv, inverse);
  return status;
}

#define SPARSEDYN_DECLARE(S) extern template DynamicsStatus minverse(const Model&, Workspace<S>&, const S*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
