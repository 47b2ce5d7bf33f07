// Inverse dynamics: the recursive Newton–Euler algorithm (Luh, Walker & Paul 1980), with second moments about each body's
// origin and classical accelerations; and the torques that do not depend on acceleration.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/forward_pass.hpp"
#include "sparsedyn/dynamics/detail/instantiate.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/detail/wrench_pass.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// links: one wrench a link in Model::links order, of the world on the link, in the link's frame about its origin.
/// bodies: one a body, in the body's frame, written (the sum over the links that the body carries). What acts on links that
/// are fixed to the world moves nothing and is left out.
template <class S>
void link_wrenches_to_bodies(const Model& model, const Force<S>* links, Force<S>* bodies) noexcept {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) bodies[b] = {zero3<S>(), zero3<S>()};
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.body >= 0) bodies[link.body] = bodies[link.body] + to_parent(cast<Constant<S>>(link.pose), links[i]);
  }
}

}  // namespace SPARSEDYN_CODE

/// tau = M(q) a + bias(q, v) − Σ Jᵀ fx; armature is in M, what the joints take (joint_physics.hpp) in the bias.
/// q: nq; v, a: nv (a = nullptr means zero); fx: one wrench a body, of the world on the body, in the body's frame about its
/// origin, or nullptr for none (link_wrenches_to_bodies makes them from wrenches on links); tau: nv, written. SI units.
/// Leaves the wrench that each joint passes on, its own torques apart, in ws.force. O(n), no heap. A value that is not finite
/// gives NaN in tau.
template <class S>
void rnea(const Model& model, Workspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx, S* tau) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // τ = Gᵀ τ_t
    TreeNumbers<S>& t = ws.tree;
    rnea(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()), tree_rates(*map, a, t.a.data()),
         fx, t.tau.data());
    return gather_rows(*map, 1, t.tau.data(), tau);
  }
  forward_pass(model, ws, q, v, a, fx);
  wrench_pass(model, ws, tau);
  add_joint_torques(model, q, v, a, tau);
}

#define SPARSEDYN_DECLARE(S) \
  extern template void rnea(const Model&, Workspace<S>&, const S*, const S*, const S*, const Force<S>*, S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

inline namespace SPARSEDYN_CODE {

/// tau = bias(q, v) − Σ Jᵀ fx: Coriolis, centrifugal and gravity forces, and what the joints take. Arguments as in rnea. O(n),
/// no heap.
template <class S>
void bias_forces(const Model& model, Workspace<S>& ws, const S* q, const S* v, const Force<S>* fx, S* tau) noexcept {
  rnea(model, ws, q, v, static_cast<const S*>(nullptr), fx, tau);
}

/// The torques that hold the bodies still against gravity; bias(q, 0) is these and the joints' offsets. q: nq; tau: nv,
/// written. O(n), no heap. A body and all it carries weigh on its joint as one: F = −m g, N = −h × g, with composite m and h.
template <class S>
void gravity_torques(const Model& model, Workspace<S>& ws, const S* q, S* tau) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {
    gravity_torques(map->tree, ws, tree_positions(*map, q, ws.tree.q.data()), ws.tree.tau.data());
    return gather_rows(*map, 1, ws.tree.tau.data(), tau);
  }
  const int n = static_cast<int>(model.bodies.size());
  const Vec3<S> up = -cast<S>(model.gravity);
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    ws.pose[i] = joint_pose(body, q);
    ws.motion[i].a = transposed_times(ws.pose[i].R, body.parent < 0 ? up : ws.motion[body.parent].a);
    with_inertia<S>(body.inertia, [&](const auto& I) { ws.composite[i].m = S(I.m), ws.composite[i].h = cast<S>(I.h); });
  }
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    const Inertia<S>& I = ws.composite[i];
    joint_force(body, Force<S>{cross(I.h, ws.motion[i].a), I.m * ws.motion[i].a}, tau);
    if (body.parent < 0) continue;
    Inertia<S>& above = ws.composite[body.parent];
    above.m = above.m + I.m;
    above.h = above.h + ws.pose[i].R * I.h + I.m * ws.pose[i].d;
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
