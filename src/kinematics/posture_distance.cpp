#include "posture_distance.hpp"

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint_groups.hpp"

namespace sparsedyn {
namespace {

/// The position apart from the orientation: v = Rᵀ (p − p0).
void position_alone(const Body& body, const double* q0, const double* q, double* away) {
  Vec3<double> p = zero3<double>();
  for_each_shift(body.joint, [&](int, int k, int axis) { p[axis] = q[body.q + k] - q0[body.q + k]; });
  const Vec3<double> v = transposed_times(joint_rotation(body, q), p);
  for_each_shift(body.joint, [&](int c, int, int axis) { away[body.v + c] = v[axis]; });
}

}  // namespace

double distance_from(const Model& model, const double* q0, const double* q, double* away) noexcept {
  difference(model, q0, q, away);
  double squares = 0;
  for (const Body& body : model.bodies) {
    if (turns_own_shifts(body.joint)) position_alone(body, q0, q, away);
    for (int k = 0; k < freedoms(body.joint); ++k) squares += away[body.v + k] * away[body.v + k];
  }
  return squares;
}

}  // namespace sparsedyn
