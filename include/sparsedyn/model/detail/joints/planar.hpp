// In the plane normal to e_z, the group SE(2): columns of S (0; e_x), (0; e_y), (e_z; 0), in the child's axes. q: x, y, angle.
#pragma once

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

struct PlanarJoint : JointDefaults {
  static constexpr std::array<JointCoordinate, 3> coordinates{
      {{".x", Measure::length}, {".y", Measure::length}, {".angle", Measure::angle}}};
  static constexpr std::array<JointFreedom, 3> freedoms{{{".vx", ".fx", 3}, {".vy", ".fy", 4}, {".w", ".n", 2}}};
  template <class S>
  static Pose<S> pose(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, const Constant<S>&, const S* q) {
    const auto along = [&](int k) { return Vec3<S>{{R(0, k) * q[k], R(1, k) * q[k], R(2, k) * q[k]}}; };
    return {turned_about_z<S>(R, q[2]), d + along(0) + along(1)};
  }
  /// p + Rz(angle) V v, V = [sinc, −w versine; w versine, sinc].
  template <class S>
  static void integrate(const S* q, const S* delta, S* out) {
    using std::cos;
    using std::sin;
    const S w = delta[2];
    const ExponentialFactors<S> e = exponential_factors(S(w * w));
    const S x = e.sinc * delta[0] - w * e.versine * delta[1], y = w * e.versine * delta[0] + e.sinc * delta[1];
    const S c = cos(q[2]), s = sin(q[2]);
    out[0] = q[0] + c * x - s * y;
    out[1] = q[1] + s * x + c * y;
    out[2] = q[2] + w;
  }
  /// The planar motion is a spatial one about z. Angles: q1 − q0.
  static void difference(const double* q0, const double* q1, double* delta) {
    const double c = std::cos(q0[2]), s = std::sin(q0[2]), dx = q1[0] - q0[0], dy = q1[1] - q0[1];
    const Vec3<double> p{{c * dx + s * dy, -s * dx + c * dy, 0}};
    const Vec3<double> v = inverse_left_jacobian({{0, 0, q1[2] - q0[2]}}, p);
    delta[0] = v[0], delta[1] = v[1], delta[2] = q1[2] - q0[2];
  }
  static void follow(const Jet* x, double* q, double* v, double* a) {
    const double c = std::cos(x[2].x), s = std::sin(x[2].x), w = x[2].dx;
    for (int k = 0; k < 3; ++k) q[k] = x[k].x;
    v[0] = c * x[0].dx + s * x[1].dx;
    v[1] = c * x[1].dx - s * x[0].dx;
    v[2] = w;
    a[0] = c * x[0].ddx + s * x[1].ddx + w * v[1];
    a[1] = c * x[1].ddx - s * x[0].ddx - w * v[0];
    a[2] = x[2].ddx;
  }
};

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
