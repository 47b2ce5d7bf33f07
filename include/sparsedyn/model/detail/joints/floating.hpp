// All six freedoms, the group SE(3): S = (1 0; 0 1), angular first, in the child's axes. q: the position, a quaternion x y z w.
#pragma once

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

struct FloatingJoint : JointDefaults {
  static constexpr std::array<JointCoordinate, 7> coordinates{{{".x", Measure::length},
                                                               {".y", Measure::length},
                                                               {".z", Measure::length},
                                                               {".qx", Measure::quaternion},
                                                               {".qy", Measure::quaternion},
                                                               {".qz", Measure::quaternion},
                                                               {".qw", Measure::quaternion}}};
  static constexpr std::array<JointFreedom, 6> freedoms{
      {{".wx", ".nx", 0}, {".wy", ".ny", 1}, {".wz", ".nz", 2}, {".vx", ".fx", 3}, {".vy", ".fy", 4}, {".vz", ".fz", 5}}};
  static constexpr bool has_axis = false;
  template <class S>
  static Pose<S> pose(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, const Constant<S>&, const S* q) {
    return {R * rotation_from_quaternion(q + 3), d + R * Vec3<S>{{q[0], q[1], q[2]}}};
  }
  /// p + R V v, V = 1 + versine [w]× + remainder [w]×².
  template <class S>
  static void integrate(const S* q, const S* delta, S* out) {
    const Vec3<S> w{{delta[0], delta[1], delta[2]}}, v{{delta[3], delta[4], delta[5]}};
    const ExponentialFactors<S> e = exponential_factors(dot(w, w));
    const Vec3<S> wv = cross(w, v);
    const Vec3<S> step = rotation_from_quaternion(q + 3) * (v + e.versine * wv + e.remainder * cross(w, wv));
    for (int k = 0; k < 3; ++k) out[k] = q[k] + step[k];
    rotate_quaternion(q + 3, w, out + 3);
  }
  static void difference(const double* q0, const double* q1, double* delta) {
    const Vec3<double> w = rotation_between(q0 + 3, q1 + 3);
    const Vec3<double> p{{q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]}};
    const Vec3<double> v = inverse_left_jacobian(w, transposed_times(rotation_from_quaternion(q0 + 3), p));
    for (int k = 0; k < 3; ++k) delta[k] = w[k], delta[3 + k] = v[k];
  }
  /// Linear velocity in the body's axes, v = Rᵀ ṗ, and its rate Rᵀ p̈ − ω × v. x: roll, pitch, yaw, position.
  static void follow(const Jet* x, double* q, double* v, double* a) {
    const OrientationOnCurve o = orientation_on_curve(x[0], x[1], x[2]);
    const Vec3<double> velocity = transposed_times(o.R, Vec3<double>{{x[3].dx, x[4].dx, x[5].dx}});
    const Vec3<double> rate = transposed_times(o.R, Vec3<double>{{x[3].ddx, x[4].ddx, x[5].ddx}}) - cross(o.w, velocity);
    for (int k = 0; k < 3; ++k) {
      q[k] = x[3 + k].x;
      v[k] = o.w[k], a[k] = o.dw[k];
      v[3 + k] = velocity[k], a[3 + k] = rate[k];
    }
    for (int k = 0; k < 4; ++k) q[3 + k] = o.quaternion[k];
  }
};

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
