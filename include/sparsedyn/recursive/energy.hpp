// Kinetic and potential energy of the moving bodies.
#pragma once

#include "sparsedyn/recursive/kinematics.hpp"

namespace sparsedyn {

/// Σ ½ v_iᵀ I_i v_i (J). After forward_kinematics with q, v.
template <class S>
S kinetic_energy(const Model& model, const Workspace<S>& ws) noexcept {
  S twice(0.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    twice = twice + dot(ws.velocity[i], cast<Constant<S>>(model.bodies[i].inertia) * ws.velocity[i]);
  return Constant<S>(0.5) * twice;
}

/// −g · Σ m_i c_i (J), zero with all mass at the world's origin. After forward_kinematics with q.
template <class S>
S potential_energy(const Model& model, const Workspace<S>& ws) noexcept {
  Vec3<S> h = zero3<S>();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const auto I = cast<Constant<S>>(model.bodies[i].inertia);
    h += ws.world_pose[i].R * I.h + I.m * ws.world_pose[i].d;
  }
  return -dot(cast<Constant<S>>(model.gravity), h);
}

}  // namespace sparsedyn
