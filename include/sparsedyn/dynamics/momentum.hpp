// Centre of mass, momentum and their rates, in world axes, and energy, of all that moves. Links fixed to the world (a fixed
// root and what hangs rigidly on it) have no momentum and no kinetic energy. They are not counted, so that the outer wrenches
// accelerate just this centre of mass. Pinocchio counts the same bodies. whole_centre_of_mass counts the fixed links too. The
// constant potential −g · fixed_inertia(model).h of the fixed links is left out.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/spatial/detail/velocity_wrench.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Mass (kg) of all bodies that move.
inline double moving_mass(const Model& model) noexcept {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.inertia.m;
  return mass;
}

/// The same in S.
template <class S>
S moving_mass_in(const Model& model) noexcept {
  if constexpr (RobotNumbers<S>::may_vary) {
    SubtreeMass<S> mass{};
    for (const Body& body : model.bodies) add_number<S>(body.inertia.m, mass);
    if (mass.varies()) return mass;
  }
  return S(moving_mass(model));
}

/// Inertia, about the world's origin in world axes, of all links fixed to the world.
inline Inertia<double> fixed_inertia(const Model& model) noexcept {
  Inertia<double> sum = zero_inertia<double>();
  for (const Link& link : model.links)
    if (link.body < 0) sum = sum + to_parent(link.pose, link.inertia);
  return sum;
}

/// Mass (kg) of all links, moving or fixed.
inline double total_mass(const Model& model) noexcept { return moving_mass(model) + fixed_inertia(model).m; }

/// The same in S.
template <class S>
S total_mass_in(const Model& model) noexcept {
  if constexpr (RobotNumbers<S>::may_vary)
    for (const Body& body : model.bodies)
      if (RobotNumbers<S>::varies(body.inertia.m)) return moving_mass_in<S>(model) + S(fixed_inertia(model).m);
  return S(total_mass(model));
}

/// Σ m c over all bodies that move, in the world (kg m). After forward_kinematics with q.
template <class S>
Vec3<S> first_moment(const Model& model, const Workspace<S>& ws) noexcept {
  Vec3<S> h = zero3<S>();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    with_inertia<S>(model.bodies[i].inertia, [&](const auto& I) { h += ws.world_pose[i].R * I.h + I.m * ws.world_pose[i].d; });
  }
  return h;
}

/// Position of the centre of mass of all that moves, in the world (m); NaN where moving_mass(model) is 0. After
/// forward_kinematics with q.
template <class S>
Vec3<S> centre_of_mass(const Model& model, const Workspace<S>& ws) noexcept {
  return (S(1.0) / moving_mass_in<S>(model)) * first_moment(model, ws);
}

/// The same of all links, those fixed to the world included.
template <class S>
Vec3<S> whole_centre_of_mass(const Model& model, const Workspace<S>& ws) noexcept {
  return (S(1.0) / total_mass_in<S>(model)) * (first_moment(model, ws) + cast<Constant<S>>(fixed_inertia(model).h));
}

/// A wrench or momentum about the world's origin, moved to the point c.
template <class S>
Force<S> about(const Vec3<S>& c, const Force<S>& x) {
  return {x.n - cross(c, x.f), x.f};
}

/// A wrench or momentum about the world's origin, moved to the centre of mass. Where no mass moves its force is zero and its
/// moment the same about every point.
template <class S>
Force<S> about_centre_of_mass(const Model& model, const Workspace<S>& ws, const Force<S>& x) noexcept {
  return moving_mass(model) > 0 ? about(centre_of_mass(model, ws), x) : x;
}

/// About the centre of mass: angular (n) and linear (f), Σ I_i v_i (Orin et al. 2013). After forward_kinematics with q, v.
template <class S>
Force<S> momentum(const Model& model, const Workspace<S>& ws) noexcept {
  Force<S> sum{zero3<S>(), zero3<S>()};
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    sum = sum + to_parent(ws.world_pose[i],
                          with_inertia<S>(model.bodies[i].inertia, [&](const auto& I) { return I * ws.velocity[i]; }));
  return about_centre_of_mass(model, ws, sum);
}

/// d/dt of momentum(): the sum of all outer wrenches about the centre of mass, Σ I_i a_i + v_i ×* I_i v_i + m g. (As the centre
/// of mass moves along the linear momentum, its own motion adds nothing.) After forward_kinematics with q, v, a.
template <class S>
Force<S> momentum_rate(const Model& model, const Workspace<S>& ws) noexcept {
  Force<S> sum{zero3<S>(), zero3<S>()};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Motion<S>& v = ws.velocity[i];
    sum = sum + to_parent(ws.world_pose[i], with_inertia<S>(model.bodies[i].inertia, [&](const auto& I) {
                            return I * ws.acceleration[i] + velocity_wrench(I, v);
                          }));
  }
  Force<S> rate = about_centre_of_mass(model, ws, sum);
  rate.f +=
      moving_mass_in<S>(model) * cast<S>(model.gravity);  // ws.acceleration holds −g; weight has no moment about this point
  return rate;
}

/// Velocity (m/s) and true acceleration (m/s²) of the centre of mass: momentum and its rate by mass. NaN where no mass moves.
template <class S>
Vec3<S> centre_of_mass_velocity(const Model& model, const Workspace<S>& ws) noexcept {
  return (S(1.0) / moving_mass_in<S>(model)) * momentum(model, ws).f;
}
/// True acceleration of the centre of mass (m/s²), world axes. After forward_kinematics with q, v, a.
template <class S>
Vec3<S> centre_of_mass_acceleration(const Model& model, const Workspace<S>& ws) noexcept {
  return (S(1.0) / moving_mass_in<S>(model)) * momentum_rate(model, ws).f;
}

/// Σ ½ v_iᵀ I_i v_i (J) of the bodies. After forward_kinematics with q, v.
template <class S>
S kinetic_energy(const Model& model, const Workspace<S>& ws) noexcept {
  S twice(0.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    twice = twice +
            with_inertia<S>(model.bodies[i].inertia, [&](const auto& I) { return dot(ws.velocity[i], I * ws.velocity[i]); });
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
      twice = twice + robot_number<S>(armature, [&](double x) { return x * at.multiplier * at.multiplier; }) * v[at.index] *
                          v[at.index];
    }
  return kinetic_energy(model, ws) + Constant<S>(0.5) * twice;
}

/// −g · Σ m_i c_i (J), zero with all mass at the world's origin. After forward_kinematics with q.
template <class S>
S potential_energy(const Model& model, const Workspace<S>& ws) noexcept {
  return -dot(cast<Constant<S>>(model.gravity), first_moment(model, ws));
}

/// The same with the springs, ½ Σ stiffness q². q: nq.
template <class S>
S potential_energy(const Model& model, const Workspace<S>& ws, const S* q) noexcept {
  S twice(0.0);
  on_springs(model.tree(), [&](const Body& body, double stiffness) {
    const CoordinateMap::Entry at = position_entry_of(model, body.q);
    const S x = Constant<S>(at.multiplier) * q[at.index] + Constant<S>(at.offset);
    twice = twice + robot_number<S>(stiffness) * x * x;
  });
  return potential_energy(model, ws) + Constant<S>(0.5) * twice;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
