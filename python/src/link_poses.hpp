// Poses of all links, and no velocities: in any scalar the operations of forward_kinematics and link_pose, so that one sample
// alone and several side by side have the same bits. Packed scalars include this file in a namespace of their own.
#pragma once

#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn::python {
inline namespace SPARSEDYN_CODE {

/// ws.world_pose. Joints are on their own (no CoordinateMap).
template <class S>
void world_poses(const Model& tree, Workspace<S>& ws, const S* q) noexcept {
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = tree.bodies[i];
    const Pose<S> X = joint_pose(body, q);
    ws.world_pose[i] = body.parent < 0 ? X : ws.world_pose[body.parent] * X;
  }
}

/// Seven numbers a link, in the order of Model::links: x y z, and what `quaternion` makes of the rotation.
template <class S, class Quaternion>
void put_poses(const Model& model, const Workspace<S>& ws, const Quaternion& quaternion, S* out) noexcept {
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link, out += 7) {
    const Pose<S> pose = link_pose(model, ws, link);
    for (int k = 0; k < 3; ++k) out[k] = pose.d[k];
    quaternion(pose.R, out + 3);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn::python
