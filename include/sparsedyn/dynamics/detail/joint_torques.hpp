// What joints add to inverse dynamics, beside what their bodies need: armature a + load(v) + stiffness q, by entry of v.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// use(body, stiffness) for the spring of each joint that has one; of the model itself, not coupled.
template <class Use>
void on_springs(const Model& model, Use&& use) noexcept {
  if (model.physics.empty()) return;
  for (const Body& body : model.bodies) {
    if (freedoms(body.joint) != 1) continue;
    const double stiffness = model.physics[static_cast<std::size_t>(body.v)].stiffness.value_or(0);
    if (stiffness != 0) use(body, stiffness);
  }
}

/// tau += armature a + load(v) + stiffness q. a: nullptr for zero.
template <class S>
void add_joint_torques(const Model& model, const S* q, const S* v, const S* a, S* tau) noexcept {
  for (std::size_t k = 0; k < model.physics.size(); ++k) {
    const JointPhysics& p = model.physics[k];
    if (p.none()) continue;
    tau[k] = tau[k] + joint_load(p, v[k]);
    if (a && p.armature != 0) tau[k] = tau[k] + robot_number<S>(p.armature) * a[k];
  }
  on_springs(model,
             [&](const Body& body, double stiffness) { tau[body.v] = tau[body.v] + robot_number<S>(stiffness) * q[body.q]; });
}

/// What is left of tau for the bodies: tau − load(v) − stiffness q, into rest (nv; may be tau). The array that holds it: tau
/// where nothing is taken.
template <class S>
const S* without_joint_torques(const Model& model, const S* q, const S* v, const S* tau, S* rest) noexcept {
  if (model.physics.empty()) return tau;
  for (int k = 0; k < model.nv; ++k) rest[k] = model.physics[k].none() ? tau[k] : tau[k] - joint_load(model.physics[k], v[k]);
  on_springs(model,
             [&](const Body& body, double stiffness) { rest[body.v] = rest[body.v] - robot_number<S>(stiffness) * q[body.q]; });
  return rest;
}

/// rate −= load(v) − load(0).
template <class S>
void add_load_changes(const Model& model, const S* v, S* rate) noexcept {
  const std::vector<JointPhysics>& physics = model.tree().physics;
  for (std::size_t k = 0; k < physics.size(); ++k) {
    JointPhysics p = physics[k];
    p.offset = 0;
    if (p.damping == 0 && p.friction == 0) continue;
    const CoordinateMap::Entry at = entry_of(model, static_cast<int>(k));
    const S& speed = v[at.index];
    add_times(-at.multiplier, at.same() ? joint_load(p, speed) : joint_load(p, S(Constant<S>(at.multiplier) * speed)),
              rate[at.index]);
  }
}

/// Entries k of the diagonal of a matrix += those of M that armature makes; entry(k): a reference.
template <class S, class Entry>
void add_armature(const Model& model, Entry&& entry) noexcept {
  for (int k = 0; k < static_cast<int>(model.physics.size()); ++k)
    if (const double armature = model.physics[k].armature; armature != 0) entry(k) = entry(k) + robot_number<S>(armature);
}

/// The same for ∂τ/∂q.
template <class S, class Entry>
void add_stiffness(const Model& model, Entry&& entry) noexcept {
  on_springs(model, [&](const Body& body, double stiffness) { entry(body.v) = entry(body.v) + robot_number<S>(stiffness); });
}

/// The same for ∂τ/∂v.
template <class S, class Entry>
void add_load_slopes(const Model& model, const S* v, Entry&& entry) noexcept {
  for (int k = 0; k < static_cast<int>(model.physics.size()); ++k) {
    const JointPhysics& p = model.physics[k];
    if (p.damping != 0 || p.friction != 0) entry(k) = entry(k) + joint_load_slope(p, v[k]);
  }
}

/// And add(k, ∂²τ_k/∂v_k²) for ∂²τ/∂v².
template <class S, class Add>
void add_load_curvatures(const Model& model, const S* v, Add&& add) noexcept {
  for (int k = 0; k < static_cast<int>(model.physics.size()); ++k)
    if (model.physics[k].friction != 0) add(k, joint_load_curvature(model.physics[k], v[k]));
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
