// A ball: u⁺ = u exp(φ/2), φ = h (ω + h ω'). A change of u by δ changes u⁺ by the vector part of exp(−φ₀/2) exp(δ/2) exp(φ/2).
// A free base, c = v + h (a + ω × v):   p⁺ = p + h R c,   R⁺ = R exp φ,   v⁺ = exp(−φ) c.
// To second order a change Θ of R⁺ and P of p⁺ in the axes there is the tangent vector (Θ, P − ½ Θ × P). The step
// of a planar joint is the same about one axis.
#include "joint_step.hpp"

#include <stdexcept>

#include "codegen/programs/coordinate_tangent.hpp"
#include "joint_turn.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

LocalJet half() { return LocalJet(Expr(0.5)); }

/// A joint's variables.
struct Variables {
  Variables(const Body& body, const std::vector<Expr>& velocity, const std::vector<Expr>& acceleration, const Expr& duration)
      : n(static_cast<std::size_t>(freedoms(body.joint))) {
    const auto first = static_cast<std::size_t>(body.v);
    for (std::size_t k = 0; k < n; ++k) {
      delta.push_back(LocalJet::variable(Expr(), k, 3 * n + 1));
      v.push_back(LocalJet::variable(velocity[first + k], n + k, 3 * n + 1));
      a.push_back(LocalJet::variable(acceleration[first + k], 2 * n + k, 3 * n + 1));
    }
    h = LocalJet::variable(duration, 3 * n, 3 * n + 1);
  }
  std::size_t n;
  std::vector<LocalJet> delta, v, a;
  LocalJet h;
};

JetVector three(const std::vector<LocalJet>& x, std::size_t first) { return {x[first], x[first + 1], x[first + 2]}; }
std::vector<LocalJet> list(const JetVector& x) { return {x.begin(), x.end()}; }
void append(const JetVector& x, std::vector<LocalJet>& to) { to.insert(to.end(), x.begin(), x.end()); }

JointStep additive_step(const Body& body, const Variables& x, const std::vector<Expr>& q) {
  JointStep step;
  for (std::size_t k = 0; k < x.n; ++k) {
    step.v.push_back(x.v[k] + x.h * x.a[k]);
    const LocalJet moved = x.h * step.v.back();
    step.q.push_back(q[static_cast<std::size_t>(body.q) + k] + moved.value());
    step.change.push_back(x.delta[k] + moved - LocalJet(moved.value()));
  }
  return step;
}

JointStep ball_step(const Body& body, const Variables& x, const std::vector<Expr>& q) {
  const JetVector w = three(x.v, 0) + x.h * three(x.a, 0);
  const JointTurn turn(q.data() + body.q, three(x.delta, 0), x.h * w);
  return {turn.after, list(turn.change), list(w)};
}

JointStep free_step(const Body& body, const Variables& x, const std::vector<Expr>& q) {
  const Expr* const own = q.data() + body.q;
  const JetVector w = three(x.v, 0) + x.h * three(x.a, 0);
  const JetVector c = three(x.v, 3) + x.h * (three(x.a, 3) + cross(three(x.v, 0), three(x.v, 3)));
  const JointTurn turn(own + 3, three(x.delta, 0), x.h * w);
  const JetVector moved = turned_back(turn.before, shifted(three(x.delta, 0), three(x.delta, 3), x.h, c));
  const Vec3<Expr> along = rotation_from_quaternion(own + 3) * Vec3<Expr>{{c[0].value(), c[1].value(), c[2].value()}};
  JointStep step{{}, list(turn.change), list(w)};
  for (int k = 0; k < 3; ++k) step.q.push_back(own[k] + x.h.value() * along[k]);
  step.q.insert(step.q.end(), turn.after.begin(), turn.after.end());
  append(moved - half() * cross(turn.change, moved), step.change);
  append(turned_back(turn.e, c), step.v);
  return step;
}

JointStep planar_step(const Body& body, const Variables& x, const std::vector<Expr>& q) {
  const Expr* const own = q.data() + body.q;
  const LocalJet none;
  const JetVector turn{none, none, x.delta[2]}, spin{none, none, x.v[2]}, speed{x.v[0], x.v[1], none};
  const JetVector c = speed + x.h * (JetVector{x.a[0], x.a[1], none} + cross(spin, speed));
  const LocalJet w = x.v[2] + x.h * x.a[2], phi = x.h * w;
  const PlaneTurn now(phi), before(LocalJet(phi.value()));
  const JetVector moved = before.back(shifted(turn, {x.delta[0], x.delta[1], none}, x.h, c));
  const LocalJet turned = x.delta[2] + phi - LocalJet(phi.value());
  const JetVector shift = moved - half() * cross(JetVector{none, none, turned}, moved), v = now.back(c);
  const Expr cosine = cos(own[2]), sine = sin(own[2]), cx = c[0].value(), cy = c[1].value(), h = x.h.value();
  return {{own[0] + h * (cosine * cx - sine * cy), own[1] + h * (sine * cx + cosine * cy), own[2] + phi.value()},
          {shift[0], shift[1], turned},
          {v[0], v[1], w}};
}

}  // namespace

JointStep semi_implicit_joint_step(const Body& body, const std::vector<Expr>& q, const std::vector<Expr>& v,
                                   const std::vector<Expr>& a, const Expr& h) {
  const Variables x(body, v, a, h);
  switch (tangent_group(body.joint)) {
    case TangentGroup::additive: return additive_step(body, x, q);
    case TangentGroup::ball: return ball_step(body, x, q);
    case TangentGroup::planar: return planar_step(body, x, q);
    case TangentGroup::free: return free_step(body, x, q);
  }
  throw std::logic_error("a joint of no group");
}

}  // namespace sparsedyn
