// Where bodies and links are, how fast they move and accelerate.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/joint.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Fills ws.pose, ws.world_pose and, as far as v and a are given, ws.velocity and ws.acceleration (nullptr: zero):
///   v_i = iX_λ v_λ + S v,   a_i = iX_λ a_λ + v_i × S v + S a,   a_world = −g (Featherstone 2008, eqs. 5.7–5.8; S-dot = 0).
/// q: nq; v, a: nv. O(n), no heap.
template <class S>
void forward_kinematics(const Model& model, Workspace<S>& ws, const S* q, const S* v, const S* a) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get())
    return forward_kinematics(map->tree, ws, tree_positions(*map, q, ws.tree.q.data()), tree_rates(*map, v, ws.tree.v.data()),
                              tree_rates(*map, a, ws.tree.a.data()));
  const Motion<S> still{zero3<S>(), zero3<S>()}, world{zero3<S>(), -cast<S>(model.gravity)};
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    const int up = body.parent;
    const Pose<S> X = joint_pose(body, q);
    const Motion<S> vJ = v ? joint_motion(body, v) : still;
    const Motion<S> aJ = a ? joint_motion(body, a) : still;
    ws.pose[i] = X;
    ws.world_pose[i] = up < 0 ? X : ws.world_pose[up] * X;
    ws.velocity[i] = up < 0 ? vJ : to_child(X, ws.velocity[up]) + vJ;
    ws.acceleration[i] = to_child(X, up < 0 ? world : ws.acceleration[up]) + cross(ws.velocity[i], vJ) + aJ;
  }
}

/// After forward_kinematics: pose of a link's frame in the world.
template <class S>
Pose<S> link_pose(const Model& model, const Workspace<S>& ws, int link) noexcept {
  const Link& l = model.links[link];
  const Pose<S> in_body = cast<S>(cast<Constant<S>>(l.pose));
  return l.body < 0 ? in_body : ws.world_pose[l.body] * in_body;
}

/// After forward_kinematics: spatial velocity of a link, in the link's frame.
template <class S>
Motion<S> link_velocity(const Model& model, const Workspace<S>& ws, int link) noexcept {
  const Link& l = model.links[link];
  if (l.body < 0) return {zero3<S>(), zero3<S>()};
  return to_child(cast<Constant<S>>(l.pose), ws.velocity[l.body]);
}

/// After forward_kinematics: spatial acceleration of a link, in the link's frame, gravity included (at rest: +9.81 upwards).
template <class S>
Motion<S> link_acceleration(const Model& model, const Workspace<S>& ws, int link) noexcept {
  const Link& l = model.links[link];
  const Motion<S> world{zero3<S>(), -cast<S>(model.gravity)};
  return to_child(cast<Constant<S>>(l.pose), l.body < 0 ? world : ws.acceleration[l.body]);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
