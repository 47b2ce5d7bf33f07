#include "tangent_move.hpp"

#include <cstddef>

#include "codegen/programs/coordinate_tangent.hpp"
#include "codegen/programs/quaternion_lift.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

/// p + R (δ + ½ w × δ).
void move_place(const Mat3<Expr>& R, const Vec3<Expr>& w, const Vec3<Expr>& shift, Expr* p) {
  const Vec3<Expr> along = R * (shift + Expr(0.5) * cross(w, shift));
  for (int k = 0; k < 3; ++k) p[k] += along[k];
}

/// u (1 − |δ|²/8) + ½ u (δ, 0).
void turn_quaternion(const Expr* delta, Expr* u) {
  const Expr less = Expr(0.125) * (delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2]);
  const auto lift = quaternion_lift(u, 0.5);
  for (int m = 0; m < 4; ++m) {
    Expr turned = u[m] - less * u[m];
    for (int c = 0; c < 3; ++c) turned += lift[unsigned(c)][unsigned(m)] * delta[c];
    u[m] = turned;
  }
}

void move_joint(TangentGroup group, int freedoms, const Expr* delta, Expr* q) {
  if (group == TangentGroup::additive) {
    for (int c = 0; c < freedoms; ++c) q[c] += delta[c];
  } else if (group == TangentGroup::planar) {
    const Expr s = sin(q[2]), c = cos(q[2]), half = Expr(0.5) * delta[2];
    const Expr x = delta[0] - half * delta[1], y = delta[1] + half * delta[0];
    q[0] += c * x - s * y, q[1] += s * x + c * y, q[2] += delta[2];
  } else if (group == TangentGroup::free) {
    move_place(rotation_from_quaternion(q + 3), {{delta[0], delta[1], delta[2]}}, {{delta[3], delta[4], delta[5]}}, q);
    turn_quaternion(delta, q + 3);
  } else {
    turn_quaternion(delta, q);
  }
}

}  // namespace

std::vector<Expr> tangent_move(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& delta) {
  std::vector<Expr> moved = q;
  const CoordinateMap* const map = model.coordinate_map.get();
  for (const Body& body : model.tree().bodies) {
    const int n = freedoms(body.joint);
    if (n == 0) continue;
    const int v = map ? map->v[static_cast<std::size_t>(body.v)].index : body.v;
    if (map && map->joined[static_cast<std::size_t>(v)].front() != body.v) continue;  // it follows another joint
    const int first = map ? map->q[static_cast<std::size_t>(body.q)].index : body.q;
    move_joint(tangent_group(body.joint), n, delta.data() + v, moved.data() + first);
  }
  return moved;
}

}  // namespace sparsedyn
