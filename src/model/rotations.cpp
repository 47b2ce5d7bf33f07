#include "sparsedyn/model/detail/rotations.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/spatial/detail/sin_cos.hpp"

namespace sparsedyn {

Mat3<double> shortest_rotation(const Vec3<double>& a) {
  // R = 1 + [u]× + k [u]×² with u = e_z × a and k = 1/(1 + z), which is (1 − z)/(x² + y²) too: the former cancels near −e_z,
  // the latter near e_z
  const double x = a[0], y = a[1], z = a[2];
  if (z >= 0) {
    const double k = 1.0 / (1.0 + z);
    return {{{1.0 - k * x * x, -k * x * y, x}, {-k * x * y, 1.0 - k * y * y, y}, {-x, -y, z}}};
  }
  const double largest = std::max(std::fabs(x), std::fabs(y));
  if (largest == 0) return {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  const double c = x / largest, s = y / largest, k = (1.0 - z) / (c * c + s * s);  // so scaled that no square underflows
  return {{{1.0 - k * c * c, -k * c * s, x}, {-k * c * s, 1.0 - k * s * s, y}, {-x, -y, z}}};
}

Mat3<double> rotation_from_rpy(const Vec3<double>& rpy) {
  const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]), cp = std::cos(rpy[1]), sp = std::sin(rpy[1]);
  const double cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
  return {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
           {-sp, cp * sr, cp * cr}}};
}

Vec3<double> rpy_from_rotation(const Mat3<double>& R) {
  // R = Rz(yaw) Ry(pitch) Rx(roll). At a pitch of ±π/2 rounding alone says what the yaw is; whichever it is, the other two
  // angles are those of Rz(yaw)ᵀ R, so that the three belong together.
  const double yaw = std::atan2(R(1, 0), R(0, 0)), s = std::sin(yaw), c = std::cos(yaw);
  return {
      {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)), std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0)), yaw}};
}

std::array<double, 4> quaternion_from_rotation(const Mat3<double>& R) {
  // 4 u_i² = 1 ± R_00 ± R_11 ± R_22: start from the largest, the other three follow from sums and differences of R's
  // entries divided by it (Shepperd 1978)
  const double squares[4] = {1 + R(0, 0) - R(1, 1) - R(2, 2), 1 - R(0, 0) + R(1, 1) - R(2, 2), 1 - R(0, 0) - R(1, 1) + R(2, 2),
                             1 + R(0, 0) + R(1, 1) + R(2, 2)};
  int largest = 0;
  for (int k = 1; k < 4; ++k)
    if (squares[k] > squares[largest]) largest = k;
  const double twice = std::sqrt(squares[largest]), scale = 0.5 / twice;
  std::array<double, 4> u;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    if (largest == 3)
      u[k] = scale * (R(j, i) - R(i, j));
    else if (k == largest)
      u[3] = scale * (R(j, i) - R(i, j));
    else
      u[k] = scale * (R(k, largest) + R(largest, k));
  }
  u[largest] = 0.5 * twice;
  if (u[3] < 0)
    for (double& e : u) e = -e;
  return u;
}

Vec3<double> rotation_between(const double* u0, const double* u1) noexcept {
  const Vec3<double> a{{u0[0], u0[1], u0[2]}};
  double w = u0[3] * u1[3] + u0[0] * u1[0] + u0[1] * u1[1] + u0[2] * u1[2];
  const double sign = w < 0 ? -1.0 : 1.0;  // u1 and −u1 are one rotation
  w *= sign;
  // ū0 ⊗ u1 = 1 + ū0 ⊗ (u1 − u0): differences of neighbours are exact, products of them keep all digits of a small turn
  const Vec3<double> d{{sign * u1[0] - u0[0], sign * u1[1] - u0[1], sign * u1[2] - u0[2]}};
  const Vec3<double> v = u0[3] * d - (sign * u1[3] - u0[3]) * a - cross(a, d);
  const double s = std::sqrt(dot(v, v));
  // 2 atan2(s, w)/s → 2/w as s → 0
  return (s > 1e-12 ? 2 * std::atan2(s, w) / s : 2 / w) * v;
}

namespace {

/// (1 − h cot h)/θ² with h = θ/2 and x = θ²; by Bernoulli's numbers where the difference cancels (the first term left out is
/// below 1e-17 of the sum).
double cotangent_factor(double x) {
  if (x < 0.04)
    return 1.0 / 12 +
           x * (1.0 / 720 + x * (1.0 / 30240 + x * (1.0 / 1209600 + x * (1.0 / 47900160 + x * (691.0 / 1307674368000)))));
  const double h = 0.5 * std::sqrt(x);
  const auto [s, c] = sin_cos(h);  // which keeps the digits of sin h near full turns; the C library of Windows does not
  return (1 - h * c / s) / x;
}

}  // namespace

Vec3<double> inverse_left_jacobian(const Vec3<double>& w, const Vec3<double>& p) noexcept {
  const double k = cotangent_factor(dot(w, w));
  const Vec3<double> wp = cross(w, p);
  return p - 0.5 * wp + k * cross(w, wp);
}

}  // namespace sparsedyn
