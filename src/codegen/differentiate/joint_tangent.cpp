// u ⊕ δ = u + ½ L δ, the columns of L being u i, u j and u k; these are orthonormal, so δ = 2 Lᵀ du.
#include "joint_tangent.hpp"

#include <array>

#include "codegen/programs/coordinate_tangent.hpp"
#include "codegen/programs/expr_vector.hpp"
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

std::vector<Expr> coordinate_changes(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& along) {
  std::vector<Expr> made(unsigned_of(model.nq));
  for_each_entry(model, q, 0.5, [&](std::size_t coordinate, std::size_t freedom, const Expr& entry) {
    made[coordinate] += entry * along[freedom];
  });
  return made;
}

std::vector<std::vector<Expr>> move_curvature(const Body& body, const std::vector<Expr>& q, const std::vector<Expr>& lambda) {
  const JointPlaces at(body);
  if (at.group == TangentGroup::additive) return {};
  const std::size_t n = unsigned_of(freedoms(body.joint));
  std::vector<std::vector<Expr>> H(n, std::vector<Expr>(n));
  if (at.turns()) {  // u (1 − |δ|²/8)
    Expr along;
    for (std::size_t m = 0; m < 4; ++m) along += lambda[at.quaternion + m] * q[at.quaternion + m];
    for (std::size_t k = 0; k < 3; ++k) H[k][k] = Expr(-0.25) * along;
  }
  if (at.group != TangentGroup::free && at.group != TangentGroup::planar) return H;
  const Mat3<Expr> R = shift_axes(at, q);
  const Vec3<Expr> pull = Expr(0.5) * (transpose(R) * Vec3<Expr>{{lambda[at.q], lambda[at.q + 1], lambda[at.q + 2]}});
  const auto set = [&](std::size_t turn, std::size_t shift, const Expr& x) { H[turn][shift] = H[shift][turn] = x; };
  if (at.group == TangentGroup::planar) {  // ½ z × δ
    set(2, 0, pull[1]), set(2, 1, -pull[0]);
  } else {  // ½ w × δ
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      set(k, 3 + l, pull[static_cast<int>(m)]), set(k, 3 + m, -pull[static_cast<int>(l)]);
    }
  }
  return H;
}

std::vector<Expr> coordinate_gradient(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& g) {
  const auto rest = g.begin() + model.nv;
  std::vector<Expr> made = coordinate_multipliers(model, q, {g.begin(), rest});
  made.insert(made.end(), rest, g.end());
  return made;
}

namespace {

/// H[i][k] += x on the lower triangle.
void add_below(std::vector<std::vector<Expr>>& H, std::size_t i, std::size_t k, const Expr& x) {
  H[i < k ? k : i][i < k ? i : k] += x;
}

/// What a quaternion's second change along the tangent adds, and that of a place which it turns: as coordinate_tangent.cpp.
void add_turned(const JointPlaces& at, const std::vector<Expr>& q, const std::vector<Expr>& g,
                std::vector<std::vector<Expr>>& H) {
  const Expr *const u = q.data() + at.quaternion, *const by = g.data() + at.v;
  const auto L = quaternion_lift(u, 1.0);
  std::array<Expr, 4> along;
  for (std::size_t m = 0; m < 4; ++m) along[m] = L[0][m] * by[0] + L[1][m] * by[1] + L[2][m] * by[2];
  for (std::size_t m = 0; m < 4; ++m)
    for (std::size_t l = 0; l <= m; ++l)
      H[at.quaternion + m][at.quaternion + l] -= Expr(2.0) * (along[m] * u[l] + u[m] * along[l]);
  if (at.group != TangentGroup::free) return;
  const Vec3<Expr> pushed = shift_axes(at, q) * Vec3<Expr>{{by[3], by[4], by[5]}};
  const Mat3<Expr> R = shift_axes(at, q);
  for (std::size_t m = 0; m < 4; ++m) {
    const Vec3<Expr> turn = R * Vec3<Expr>{{L[0][m], L[1][m], L[2][m]}}, x = cross(pushed, turn);
    for (std::size_t i = 0; i < 3; ++i) add_below(H, at.quaternion + m, at.q + i, -x[static_cast<int>(i)]);
  }
}

}  // namespace

std::vector<std::vector<Expr>> coordinate_hessian(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& g,
                                                  const std::vector<std::vector<Expr>>& H) {
  auto made = mapped_on_both_sides(H, [&](const std::vector<Expr>& x) { return coordinate_gradient(model, q, x); });
  for (const Body& body : model.bodies) {
    const JointPlaces at(body);
    if (at.turns()) add_turned(at, q, g, made);
    if (at.group != TangentGroup::planar) continue;
    const Mat3<Expr> R = shift_axes(at, q);
    const Vec3<Expr> pushed = R * Vec3<Expr>{{Expr(0.5) * g[at.v], Expr(0.5) * g[at.v + 1], Expr()}};
    made[at.q + 2][at.q] -= pushed[1], made[at.q + 2][at.q + 1] += pushed[0];
  }
  return made;
}

}  // namespace sparsedyn
