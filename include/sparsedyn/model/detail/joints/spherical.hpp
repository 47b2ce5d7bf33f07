// A ball: S = (1; 0). q: a quaternion x y z w; v: the angular velocity in the child's axes.
#pragma once

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

struct SphericalJoint : JointDefaults {
  static constexpr std::array<JointCoordinate, 4> coordinates{
      {{".qx", Measure::quaternion}, {".qy", Measure::quaternion}, {".qz", Measure::quaternion}, {".qw", Measure::quaternion}}};
  static constexpr std::array<JointFreedom, 3> freedoms{{{".wx", ".nx", 0}, {".wy", ".ny", 1}, {".wz", ".nz", 2}}};
  static constexpr bool has_axis = false;
  template <class S>
  static Pose<S> pose(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, const Constant<S>&, const S* q) {
    return {R * rotation_from_quaternion(q), cast<S>(d)};
  }
  template <class S>
  static void integrate(const S* q, const S* delta, S* out) {
    rotate_quaternion(q, Vec3<S>{{delta[0], delta[1], delta[2]}}, out);
  }
  static void difference(const double* q0, const double* q1, double* delta) {
    const Vec3<double> w = rotation_between(q0, q1);
    for (int k = 0; k < 3; ++k) delta[k] = w[k];
  }
  static void follow(const Jet* x, double* q, double* v, double* a) {
    const OrientationOnCurve o = orientation_on_curve(x[0], x[1], x[2]);
    for (int k = 0; k < 4; ++k) q[k] = o.quaternion[k];
    for (int k = 0; k < 3; ++k) v[k] = o.w[k], a[k] = o.dw[k];
  }
};

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
