#include "joint_move.hpp"

#include "codegen/programs/coordinate_tangent.hpp"
#include "joint_turn.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

LocalJet number(double x) { return LocalJet(Expr(x)); }

/// Two vectors of a joint as variables: the first n, the second n.
struct TwoVariables {
  TwoVariables(std::size_t n, const std::vector<Expr>& x, const std::vector<Expr>& y, bool curved) {
    for (std::size_t k = 0; k < n; ++k) {
      first.push_back(LocalJet::variable(x[k], k, 2 * n, curved));
      second.push_back(LocalJet::variable(y[k], n + k, 2 * n, curved));
    }
  }
  std::vector<LocalJet> first, second;
};

std::vector<Expr> own(const Body& body, const std::vector<Expr>& x) {
  const auto begin = x.begin() + body.v;
  return {begin, begin + freedoms(body.joint)};
}

/// An element of a group's algebra: angular, then linear; planar joints have theirs about z, linear entries first.
struct Twist {
  JetVector w, v;
};

Twist twist_of(TangentGroup group, const std::vector<LocalJet>& x) {
  const LocalJet none;
  if (group == TangentGroup::planar) return {{none, none, x[2]}, {x[0], x[1], none}};
  const JetVector angular{x[0], x[1], x[2]};
  return {angular, group == TangentGroup::free ? JetVector{x[3], x[4], x[5]} : JetVector{none, none, none}};
}

std::vector<LocalJet> entries_of(TangentGroup group, const Twist& x) {
  if (group == TangentGroup::planar) return {x.v[0], x.v[1], x.w[2]};
  std::vector<LocalJet> all(x.w.begin(), x.w.end());
  if (group == TangentGroup::free) all.insert(all.end(), x.v.begin(), x.v.end());
  return all;
}

Twist bracket(const Twist& a, const Twist& b) { return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)}; }

JointMove additive_move(const Body& body, const TwoVariables& x, const std::vector<Expr>& q) {
  JointMove move;
  for (std::size_t k = 0; k < x.first.size(); ++k) {
    move.q.push_back(q[static_cast<std::size_t>(body.q) + k] + x.second[k].value());
    move.change.push_back(x.first[k] + x.second[k] - LocalJet(x.second[k].value()));
  }
  return move;
}

/// The tangent vector of a turn Θ and a shift P, to second order: (Θ, P − ½ Θ × P).
Twist tangent(const JetVector& turn, const JetVector& shift) { return {turn, shift - number(0.5) * cross(turn, shift)}; }

/// p⁺ = p + R V(θ) v.
JointMove free_move(const Expr* q, const Twist& delta, const Twist& theta) {
  const JetVector c = exponential_shift(theta.w, theta.v);
  const JointTurn turn(q + 3, delta.w, theta.w);
  const Vec3<Expr> along = rotation_from_quaternion(q + 3) * Vec3<Expr>{{c[0].value(), c[1].value(), c[2].value()}};
  JointMove move;
  for (int k = 0; k < 3; ++k) move.q.push_back(q[k] + along[k]);
  move.q.insert(move.q.end(), turn.after.begin(), turn.after.end());
  const JetVector shift = turned_back(turn.before, shifted(delta.w, delta.v, number(1), c));
  move.change = entries_of(TangentGroup::free, tangent(turn.change, shift));
  return move;
}

JointMove planar_move(const Expr* q, const Twist& delta, const Twist& theta) {
  const JetVector c = exponential_shift(theta.w, theta.v);
  const LocalJet angle = theta.w[2], none;
  const JetVector shift = PlaneTurn(LocalJet(angle.value())).back(shifted(delta.w, delta.v, number(1), c));
  const Expr cosine = cos(q[2]), sine = sin(q[2]), cx = c[0].value(), cy = c[1].value();
  return {{q[0] + (cosine * cx - sine * cy), q[1] + (sine * cx + cosine * cy), q[2] + angle.value()},
          entries_of(TangentGroup::planar, tangent({none, none, delta.w[2] + angle - LocalJet(angle.value())}, shift))};
}

}  // namespace

JointMove moved_joint(const Body& body, const std::vector<Expr>& q, const std::vector<Expr>& theta, bool curved) {
  const std::vector<Expr> by = own(body, theta);
  const TwoVariables x(by.size(), std::vector<Expr>(by.size()), by, curved);
  const TangentGroup group = tangent_group(body.joint);
  const Expr* const at = q.data() + body.q;
  if (group == TangentGroup::additive) return additive_move(body, x, q);
  const Twist delta = twist_of(group, x.first), along = twist_of(group, x.second);
  if (group == TangentGroup::free) return free_move(at, delta, along);
  if (group == TangentGroup::planar) return planar_move(at, delta, along);
  const JointTurn turn(at, delta.w, along.w);
  return {turn.after, {turn.change.begin(), turn.change.end()}};
}

std::vector<LocalJet> joint_exponential_rate(const Body& body, const std::vector<Expr>& theta, const std::vector<Expr>& v,
                                             bool curved) {
  const std::vector<Expr> by = own(body, theta);
  const TwoVariables x(by.size(), by, own(body, v), curved);
  const TangentGroup group = tangent_group(body.joint);
  if (group == TangentGroup::additive) return x.second;
  const Twist along = twist_of(group, x.first), speed = twist_of(group, x.second), once = bracket(along, speed),
              twice = bracket(along, once);
  return entries_of(group, {speed.w + number(0.5) * once.w + number(1.0 / 12) * twice.w,
                            speed.v + number(0.5) * once.v + number(1.0 / 12) * twice.v});
}

}  // namespace sparsedyn
