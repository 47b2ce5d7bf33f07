#include "posture_distance.hpp"

#include <cmath>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {

double distance_from(const Model& model, const double* q0, const double* q, double* away) noexcept {
  difference(model, q0, q, away);
  double squares = 0;
  for (const Body& body : model.bodies) {
    double* const a = away + body.v;
    const double *from = q0 + body.q, *to = q + body.q;
    if (body.joint == BodyJoint::floating) {  // the position apart from the orientation: v = Rᵀ (p − p0)
      const Vec3<double> p{{to[0] - from[0], to[1] - from[1], to[2] - from[2]}};
      const Vec3<double> v = transposed_times(rotation_from_quaternion(to + 3), p);
      for (int k = 0; k < 3; ++k) a[3 + k] = v[k];
    } else if (body.joint == BodyJoint::planar) {
      const double c = std::cos(to[2]), s = std::sin(to[2]), x = to[0] - from[0], y = to[1] - from[1];
      a[0] = c * x + s * y, a[1] = c * y - s * x;
    }
    for (int k = 0; k < freedoms(body.joint); ++k) squares += a[k] * a[k];
  }
  return squares;
}

}  // namespace sparsedyn
