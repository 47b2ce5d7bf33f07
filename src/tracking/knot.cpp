#include "tracking/knot.hpp"

#include <algorithm>

namespace sparsedyn::tracking {

void retract(const Layout& layout, const double* error, Knot& x) noexcept {
  const Matrix3 E = exponential(part(error, Layout::turn)), V = left_jacobian(part(error, Layout::turn));
  x.R = orthonormal(E * x.R);
  x.p = E * x.p + V * part(error, Layout::place);
  x.v = E * x.v + V * part(error, Layout::velocity);
  if (layout.gyroscope.bias >= 0) x.gyroscope_bias += part(error, layout.gyroscope.bias);
  if (layout.accelerometer.bias >= 0) x.accelerometer_bias += part(error, layout.accelerometer.bias);
  for (std::size_t k = 0; k < x.footholds.size(); ++k)
    x.footholds[k] = E * x.footholds[k] + V * part(error, layout.points[k].error);
}

void local(const Layout& layout, const Knot& x, const Knot& from, double* error) noexcept {
  const Vector3 turn = logarithm(x.R * transpose(from.R));
  const Matrix3 E = exponential(turn), V = inverse_left_jacobian(turn);
  set_part(error, Layout::turn, turn);
  set_part(error, Layout::place, V * (x.p - E * from.p));
  set_part(error, Layout::velocity, V * (x.v - E * from.v));
  if (layout.gyroscope.bias >= 0) set_part(error, layout.gyroscope.bias, x.gyroscope_bias - from.gyroscope_bias);
  if (layout.accelerometer.bias >= 0)
    set_part(error, layout.accelerometer.bias, x.accelerometer_bias - from.accelerometer_bias);
  for (std::size_t k = 0; k < x.footholds.size(); ++k)
    set_part(error, layout.points[k].error, V * (x.footholds[k] - E * from.footholds[k]));
}

void copy(const Knot& from, Knot& to) noexcept {
  to.R = from.R, to.p = from.p, to.v = from.v;
  to.gyroscope_bias = from.gyroscope_bias, to.accelerometer_bias = from.accelerometer_bias;
  std::copy(from.footholds.begin(), from.footholds.end(), to.footholds.begin());
}

}  // namespace sparsedyn::tracking
