// What a joint takes beside its rotor, written out once more.
#pragma once

#include <cmath>

#include "sparsedyn/model/model.hpp"
#include "states.hpp"

namespace sparsedyn::test {

/// tanh(v / s) (1 − c x² / (1 + x²)), x = v / u.
inline double friction_by_hand(const FrictionShape& g, double v) {
  const double x = v / g.stribeck_velocity;
  return std::tanh(v / g.smoothing) * (1 - g.stribeck * x * x / (1 + x * x));
}

/// Position of a freedom whose body has no other; 0 of others.
inline double position_of(const Model& model, const State& s, std::size_t k) {
  for (const Body& body : model.bodies)
    if (freedoms(body.joint) == 1 && static_cast<std::size_t>(body.v) == k) return s.q[static_cast<std::size_t>(body.q)];
  return 0;
}

/// offset + stiffness q.
inline double torque_at_rest(const Model& model, const State& s, std::size_t k) {
  const JointPhysics& p = model.physics[k];
  return p.offset + p.stiffness.value_or(0) * position_of(model, s, k);
}

/// damping v + friction g(v).
inline double torque_of_speed(const Model& model, const State& s, std::size_t k) {
  const JointPhysics& p = model.physics[k];
  return p.damping * s.v[k] + p.friction * friction_by_hand(p, s.v[k]);
}

}  // namespace sparsedyn::test
