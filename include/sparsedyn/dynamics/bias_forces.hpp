// The torques of inverse dynamics that do not depend on acceleration.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {
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
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    gravity_torques(map->tree, ws, tree_positions(*map, q, ws.tree.q.data()), ws.tree.tau.data());
    return gather_rows(*map, 1, ws.tree.tau.data(), tau);
  }
  const int n = static_cast<int>(model.bodies.size());
  const Vec3<S> up = -cast<S>(model.gravity);
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    ws.pose[i] = joint_pose(body, q);
    ws.motion[i].a = transposed_times(ws.pose[i].R, body.parent < 0 ? up : ws.motion[body.parent].a);
    ws.composite[i].m = S(body.inertia.m);
    ws.composite[i].h = cast<S>(body.inertia.h);
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
