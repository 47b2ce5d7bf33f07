// Inverse dynamics: the recursive Newton–Euler algorithm (Luh, Walker & Paul 1980), with second moments about each body's
// origin and classical accelerations.
#pragma once

#include "sparsedyn/dynamics/detail/forward_pass.hpp"
#include "sparsedyn/dynamics/detail/instantiate.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"

namespace sparsedyn {

/// tau = M(q) a + bias(q, v) − Σ Jᵀ fx; armature is in M, what the joints take (joint_physics.hpp) in the bias.
/// q: nq; v, a: nv (a = nullptr means zero); fx: one wrench a body, of the world on the body, in the body's frame about its
/// origin, or nullptr for none (link_wrenches_to_bodies makes them from wrenches on links); tau: nv, written. SI units.
/// Leaves the wrench that each joint passes on, its own torques apart, in ws.force. O(n), no heap. A value that is not finite
/// gives NaN in tau.
template <class S>
void rnea(const Model& model, Workspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx, S* tau) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get()) {  // τ = Gᵀ τ_t
    TreeNumbers<S>& t = ws.tree;
    rnea(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()), tree_rates(*map, a, t.a.data()),
         fx, t.tau.data());
    return gather_rows(*map, 1, t.tau.data(), tau);
  }
  forward_pass(model, ws, q, v, a, fx);
  // tips to base: f_λ += f_i, carried to the parent's frame
  for (int i = static_cast<int>(model.bodies.size()) - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    joint_force(body, ws.force[i], tau);
    if (body.parent >= 0) ws.force[body.parent] = ws.force[body.parent] + to_parent(ws.pose[i], ws.force[i]);
  }
  add_joint_torques(model, v, a, tau);
}

#define SPARSEDYN_DECLARE(S) \
  extern template void rnea(const Model&, Workspace<S>&, const S*, const S*, const S*, const Force<S>*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
