// Kinetic and potential energy of all that moves. Links that are fixed to the world have no kinetic energy, and a constant
// potential −g · fixed_inertia(model).h, which is left out (as in Pinocchio).
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Σ ½ v_iᵀ I_i v_i (J) of the bodies. After forward_kinematics with q, v.
template <class S>
S kinetic_energy(const Model& model, const Workspace<S>& ws) noexcept {
  S twice(0.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    twice = twice + dot(ws.velocity[i], cast<Constant<S>>(model.bodies[i].inertia) * ws.velocity[i]);
  return Constant<S>(0.5) * twice;
}

/// The same with the rotors, ½ Σ armature v². v: nv.
template <class S>
S kinetic_energy(const Model& model, const Workspace<S>& ws, const S* v) noexcept {
  S twice(0.0);
  const std::vector<JointPhysics>& physics = model.tree().physics;
  for (std::size_t k = 0; k < physics.size(); ++k)
    if (const double armature = physics[k].armature; armature != 0) {
      const CoordinateMap::Entry at = entry_of(model, static_cast<int>(k));
      twice = twice + Constant<S>(armature * at.multiplier * at.multiplier) * v[at.index] * v[at.index];
    }
  return kinetic_energy(model, ws) + Constant<S>(0.5) * twice;
}

/// −g · Σ m_i c_i (J), zero with all mass at the world's origin. After forward_kinematics with q.
template <class S>
S potential_energy(const Model& model, const Workspace<S>& ws) noexcept {
  return -dot(cast<Constant<S>>(model.gravity), first_moment(model, ws));
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
