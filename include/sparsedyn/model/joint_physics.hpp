// What a joint of one freedom adds to its rigid bodies: the inertia of its rotor and the torques that the bearing and the gear
// take, τ = (Sᵀ f) + armature q̈ + damping q̇ + friction tanh(q̇ / smoothing) + offset. What is zero costs no operation.
#pragma once

#include <cmath>
#include <limits>

#include "sparsedyn/code.hpp"
#include "sparsedyn/spatial/detail/vec3.hpp"

namespace sparsedyn {

/// SI units; of a prismatic joint kg, N s/m, N, N, m/s. All ≥ 0 but the offset; smoothing > 0.
struct JointPhysics {
  double armature = 0;      // kg m²: a rotor of inertia J behind a gear of ratio n counts n² J
  double damping = 0;       // N m s/rad
  double friction = 0;      // N m, of sliding
  double offset = 0;        // N m
  double smoothing = 1e-2;  // rad/s: friction is near its full size from about three times this speed on

  /// Whether it adds nothing.
  bool none() const { return armature == 0 && damping == 0 && friction == 0 && offset == 0; }
};

/// What a joint of one freedom may do; infinite where nothing is said. Not part of the dynamics.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();    // rad or m
  double upper = std::numeric_limits<double>::infinity();     // rad or m
  double velocity = std::numeric_limits<double>::infinity();  // rad/s or m/s, either way
  double effort = std::numeric_limits<double>::infinity();    // N m or N, either way
};

inline namespace SPARSEDYN_CODE {

/// damping v + friction tanh(v / smoothing) + offset.
template <class S>
S joint_load(const JointPhysics& p, const S& v) {
  using std::tanh;
  using C = Constant<S>;
  S load(C(p.offset));
  if (p.damping != 0) load = load + C(p.damping) * v;
  if (p.friction != 0) load = load + C(p.friction) * tanh(S(C(1 / p.smoothing) * v));
  return load;
}

/// Its derivative by v, damping + friction / smoothing (1 − tanh²).
template <class S>
S joint_load_slope(const JointPhysics& p, const S& v) {
  using std::tanh;
  using C = Constant<S>;
  S slope(C(p.damping));
  if (p.friction == 0) return slope;
  const S t = tanh(S(C(1 / p.smoothing) * v));
  return slope + C(p.friction / p.smoothing) * (S(1.0) - t * t);
}

/// The second one, −2 friction / smoothing² tanh (1 − tanh²).
template <class S>
S joint_load_curvature(const JointPhysics& p, const S& v) {
  using std::tanh;
  using C = Constant<S>;
  if (p.friction == 0) return S(0.0);
  const S t = tanh(S(C(1 / p.smoothing) * v));
  return C(-2 * p.friction / (p.smoothing * p.smoothing)) * t * (S(1.0) - t * t);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
