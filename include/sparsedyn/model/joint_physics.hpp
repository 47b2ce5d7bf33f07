// What a joint of one freedom adds to its rigid bodies: the inertia of its rotor, the torques that the bearing and the gear
// take, and a spring (of cables, of gravity's compensation),
//   τ = (Sᵀ f) + armature q̈ + damping q̇ + friction g(q̇) + offset + stiffness q.
// Friction grows from rest as a tanh, and falls from its breakaway size to (1 − stribeck) of it as the joint slides (Stribeck
// 1902; this law: Hess & Soom 1990),
//   g(v) = tanh(v / smoothing) (1 − stribeck + stribeck / (1 + (v / stribeck_velocity)²)).
// What is zero costs no operation.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/detail/robot_numbers.hpp"
#include "sparsedyn/scalar/detail/complex_tanh.hpp"
#include "sparsedyn/spatial/vec3.hpp"

namespace sparsedyn {

/// How friction depends on speed: g(v).
struct FrictionShape {
  double smoothing = 1e-2;         // rad/s or m/s, > 0: friction is near its full size from about three times this speed on
  double stribeck = 0;             // the share of friction that sliding takes away, 0 to 1
  double stribeck_velocity = 0.1;  // rad/s or m/s, > 0: at this speed half of that share is gone
};

/// SI units; of a prismatic joint kg, N s/m, N, N, N/m. All ≥ 0 but the offset.
struct JointPhysics : FrictionShape {
  double armature = 0;  // kg m²: a rotor of inertia J behind a gear of ratio n counts n² J
  double damping = 0;   // N m s/rad
  double friction = 0;  // N m, of sliding; with `stribeck`, what it takes to break away
  double offset = 0;    // N m
  /// N m/rad; the torque at q = 0 is the offset's. Whether it is there says whether the joint has a parameter of that name,
  /// also at 0.
  std::optional<double> stiffness = std::nullopt;

  /// Whether it adds nothing.
  bool none() const { return armature == 0 && damping == 0 && friction == 0 && offset == 0 && stiffness.value_or(0) == 0; }
};

/// What a joint of one freedom may do; infinite where nothing is said. Not part of the dynamics.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();    // rad or m
  double upper = std::numeric_limits<double>::infinity();     // rad or m
  double velocity = std::numeric_limits<double>::infinity();  // rad/s or m/s, either way
  double effort = std::numeric_limits<double>::infinity();    // N m or N, either way
};

inline namespace SPARSEDYN_CODE {

/// g(v).
template <class S>
S friction_share(const FrictionShape& p, const S& v) {
  using C = Constant<S>;
  const S t = tanh_of(S(C(1 / p.smoothing) * v));
  if (p.stribeck == 0) return t;
  const S x = C(1 / p.stribeck_velocity) * v;
  return t * (C(1 - p.stribeck) + C(p.stribeck) / (S(1.0) + x * x));
}

/// damping v + friction g(v) + offset: all but the spring.
template <class S>
S joint_load(const JointPhysics& p, const S& v) {
  S load(robot_number<S>(p.offset));
  if (p.damping != 0) load = load + robot_number<S>(p.damping) * v;
  if (p.friction != 0) load = load + robot_number<S>(p.friction) * friction_share(p, v);
  return load;
}

/// The factors of g = t h, t = tanh(v / s) and h = 1 − c + c w, w = 1 / (1 + x²), x = v / u, with their derivatives:
///   t' = (1 − t²) / s,  t'' = −2 t t' / s,  h' = −2 c x w² / u,  h'' = 2 c w² (4 x² w − 1) / u².
template <class S>
struct FrictionFactors {
  using C = Constant<S>;
  FrictionFactors(const FrictionShape& p, const S& v) {
    t = tanh_of(S(C(1 / p.smoothing) * v));
    t1 = C(1 / p.smoothing) * (S(1.0) - t * t);
    t2 = C(-2 / p.smoothing) * t * t1;
    const S x = C(1 / p.stribeck_velocity) * v, square = x * x, w = S(1.0) / (S(1.0) + square), bend = w * w;
    h = C(1 - p.stribeck) + C(p.stribeck) * w;
    h1 = C(-2 * p.stribeck / p.stribeck_velocity) * x * bend;
    h2 = C(2 * p.stribeck / (p.stribeck_velocity * p.stribeck_velocity)) * bend * (C(4) * square * w - S(1.0));
  }
  S t, t1, t2, h, h1, h2;
};

/// The load's derivative by v, damping + friction g'.
template <class S>
S joint_load_slope(const JointPhysics& p, const S& v) {
  using C = Constant<S>;
  S slope(robot_number<S>(p.damping));
  if (p.friction == 0) return slope;
  if (p.stribeck == 0) {
    const S t = tanh_of(S(C(1 / p.smoothing) * v));
    return slope + robot_number<S>(p.friction, [&](double f) { return f / p.smoothing; }) * (S(1.0) - t * t);
  }
  const FrictionFactors<S> g(p, v);
  return slope + robot_number<S>(p.friction) * (g.t1 * g.h + g.t * g.h1);
}

/// The second one, friction g''.
template <class S>
S joint_load_curvature(const JointPhysics& p, const S& v) {
  using C = Constant<S>;
  if (p.friction == 0) return S(0.0);
  if (p.stribeck == 0) {
    const S t = tanh_of(S(C(1 / p.smoothing) * v));
    return robot_number<S>(p.friction, [&](double f) { return -2 * f / (p.smoothing * p.smoothing); }) * t * (S(1.0) - t * t);
  }
  const FrictionFactors<S> g(p, v);
  return robot_number<S>(p.friction) * (g.t2 * g.h + C(2) * g.t1 * g.h1 + g.t * g.h2);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
