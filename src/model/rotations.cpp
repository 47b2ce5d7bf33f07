#include <cmath>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

Mat3<double> shortest_rotation(const Vec3<double>& a) {
  if (a[2] <= -1.0 + 1e-15) return {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  // R = 1 + [u]× + [u]×² / (1 + a_z) with u = e_z × a
  const double x = a[0], y = a[1], z = a[2], k = 1.0 / (1.0 + z);
  return {{{1.0 - k * x * x, -k * x * y, x}, {-k * x * y, 1.0 - k * y * y, y}, {-x, -y, z}}};
}

Mat3<double> rotation_from_rpy(const Vec3<double>& rpy) {
  const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]), cp = std::cos(rpy[1]), sp = std::sin(rpy[1]);
  const double cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
  return {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
           {-sp, cp * sr, cp * cr}}};
}

}  // namespace sparsedyn
