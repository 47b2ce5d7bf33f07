#include <algorithm>
#include <cmath>

#include "sparsedyn/model/model.hpp"

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

}  // namespace sparsedyn
