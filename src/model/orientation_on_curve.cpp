#include <cmath>

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {

OrientationOnCurve orientation_on_curve(const Jet& roll, const Jet& pitch, const Jet& yaw) {
  const double sa = std::sin(roll.x), ca = std::cos(roll.x), sb = std::sin(pitch.x), cb = std::cos(pitch.x);
  const double da = roll.dx, db = pitch.dx, dc = yaw.dx;
  OrientationOnCurve o;
  o.w = {{da - dc * sb, db * ca + dc * cb * sa, -db * sa + dc * cb * ca}};
  o.dw = {{roll.ddx - yaw.ddx * sb - dc * db * cb,
           pitch.ddx * ca - db * da * sa + yaw.ddx * cb * sa + dc * (da * cb * ca - db * sb * sa),
           -pitch.ddx * sa - db * da * ca + yaw.ddx * cb * ca - dc * (da * cb * sa + db * sb * ca)}};
  o.R = rotation_from_rpy({{roll.x, pitch.x, yaw.x}});
  const double sr = std::sin(0.5 * roll.x), cr = std::cos(0.5 * roll.x), sp = std::sin(0.5 * pitch.x);
  const double cp = std::cos(0.5 * pitch.x), sy = std::sin(0.5 * yaw.x), cy = std::cos(0.5 * yaw.x);
  const double quaternion[4] = {sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
                                cr * cp * cy + sr * sp * sy};
  for (int k = 0; k < 4; ++k) o.quaternion[k] = quaternion[k];
  return o;
}

}  // namespace sparsedyn
