// u ⊕ δ = u + ½ L δ, the columns of L being u i, u j and u k; these are orthonormal, so δ = 2 Lᵀ du.
#include "joint_tangent.hpp"

#include "codegen/programs/coordinate_tangent.hpp"
#include "codegen/programs/quaternion_lift.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

std::size_t unsigned_of(int k) { return static_cast<std::size_t>(k); }

/// Where a joint's coordinates and freedoms are, and the quaternion among them.
struct JointPlaces {
  explicit JointPlaces(const Body& body)
      : q(unsigned_of(body.q)),
        v(unsigned_of(body.v)),
        group(tangent_group(body.joint)),
        quaternion(q + (group == TangentGroup::free ? 3 : 0)) {}
  std::size_t q, v;
  TangentGroup group;
  std::size_t quaternion;
  bool turns() const { return group == TangentGroup::ball || group == TangentGroup::free; }
};

/// The axes of a free base's, or a planar joint's, shifts.
Mat3<Expr> shift_axes(const JointPlaces& at, const std::vector<Expr>& q) {
  if (at.group == TangentGroup::free) return rotation_from_quaternion(q.data() + at.quaternion);
  const Expr c = cos(q[at.q + 2]), s = sin(q[at.q + 2]);
  return {{{c, -s, Expr()}, {s, c, Expr()}, {Expr(), Expr(), Expr(1.0)}}};
}

/// Calls add(coordinate, freedom, entry) for each entry of ∂q/∂δ, with `quaternion` L in place of ½ L.
template <class Add>
void for_each_entry(const Model& model, const std::vector<Expr>& q, double quaternion, Add&& add) {
  for (const Body& body : model.bodies) {
    const JointPlaces at(body);
    if (at.group == TangentGroup::additive)
      for (std::size_t k = 0; k < unsigned_of(freedoms(body.joint)); ++k) add(at.q + k, at.v + k, Expr(1.0));
    if (at.turns()) {
      const auto lift = quaternion_lift(q.data() + at.quaternion, quaternion);
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t m = 0; m < 4; ++m) add(at.quaternion + m, at.v + k, lift[k][m]);
    }
    if (at.group != TangentGroup::free && at.group != TangentGroup::planar) continue;
    const Mat3<Expr> R = shift_axes(at, q);
    const std::size_t shift = at.v + (at.group == TangentGroup::free ? 3 : 0);
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) add(at.q + unsigned_of(i), shift + unsigned_of(k), R(i, k));
  }
}

}  // namespace

std::vector<Expr> tangent_slopes(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& slopes) {
  std::vector<Expr> made(unsigned_of(model.nv));
  for_each_entry(model, q, 0.5, [&](std::size_t coordinate, std::size_t freedom, const Expr& entry) {
    made[freedom] += entry * slopes[coordinate];
  });
  return made;
}

std::vector<Expr> coordinate_multipliers(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& lambda) {
  std::vector<Expr> made(unsigned_of(model.nq));
  for_each_entry(model, q, 2.0, [&](std::size_t coordinate, std::size_t freedom, const Expr& entry) {
    made[coordinate] += entry * lambda[freedom];
  });
  return made;
}

}  // namespace sparsedyn
