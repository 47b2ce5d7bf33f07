// Laws of every joint type, universal and composite ones too: the manifold, S and its rate by finite differences, power.
#include <catch2/catch.hpp>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint_groups.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// One joint of each kind, between the world and a link, and the whole of them in a row.
std::vector<Model> joints() {
  std::vector<Model> models;
  for (JointKind kind : every_joint_kind()) models.push_back(random_tree(1, 7, {false, false, 0.0, {kind}}));
  models.push_back(random_tree(10, 8, {true, false, 0.0, every_joint_kind()}));
  for (Model& m : models) m.gravity = zero3<double>();
  return models;
}

Vector plus(const Model& m, const Vector& q, const Vector& delta) {
  Vector out(q.size());
  integrate(m, q.data(), delta.data(), out.data());
  return out;
}
Vector minus(const Model& m, const Vector& q1, const Vector& q0) {
  Vector delta(static_cast<std::size_t>(m.nv));
  difference(m, q0.data(), q1.data(), delta.data());
  return delta;
}
Vector times(double s, Vector x) {
  for (double& e : x) e *= s;
  return x;
}
Vector sum(Vector x, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  return x;
}
Vector entries(const Motion<double>& m) { return {m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2]}; }

/// Pose of the last body in the world, and its velocity in its own frame.
Pose<double> pose(const Model& m, Workspace<double>& ws, const Vector& q) {
  forward_kinematics<double>(m, ws, q.data(), nullptr, nullptr);
  return ws.world_pose.back();
}
Motion<double> velocity(const Model& m, Workspace<double>& ws, const Vector& q, const Vector& v) {
  forward_kinematics<double>(m, ws, q.data(), v.data(), nullptr);
  return ws.velocity.back();
}

}  // namespace

TEST_CASE("q ⊕ δ and its inverse obey the laws of the manifold") {
  for (const Model& m : joints()) {
    std::mt19937 rng(1);
    const Vector zero(static_cast<std::size_t>(m.nv), 0.0);
    for (double size : {0.0, 1e-9, 1e-3, 0.1, 0.3, 1.0})
      for (int k = 0; k < 20; ++k) {
        const State s = random_state(m, rng), other = random_state(m, rng);
        const Vector delta = times(size / (1 + std::sqrt(double(m.nv))), s.v);
        CHECK(worst_error(plus(m, s.q, zero), s.q) < 1e-15);
        CHECK(worst_error(minus(m, s.q, s.q), zero) < 1e-15);
        CHECK(worst_error(minus(m, plus(m, s.q, delta), s.q), delta) < 1e-13);
        CHECK(worst_error(plus(m, plus(m, s.q, delta), times(-1, delta)), s.q) < 1e-13);
        // q and −q are one orientation: compare differences, not coordinates
        CHECK(worst_error(minus(m, plus(m, s.q, minus(m, other.q, s.q)), other.q), zero) < 1e-12);
        // one-parameter group: (q ⊕ δ) ⊕ δ = q ⊕ 2δ
        CHECK(worst_error(plus(m, plus(m, s.q, delta), delta), plus(m, s.q, times(2, delta))) < 1e-13);
      }
  }
}

TEST_CASE("quaternions of every size come to unit length") {
  for (const double size : {5e-324, 1e-310, 1e-200, 1e-3, 1.0, 1e200, 1.7e308}) {
    double u[4] = {size, -size, size, size};
    CHECK(normalise_quaternion(u));
    for (int k = 0; k < 4; ++k) CHECK(u[k] == (k == 1 ? -0.5 : 0.5));
  }
  double along_w[4] = {0, 0, 0, -1e308}, infinite[4] = {0, 0, INFINITY, 1};
  CHECK(normalise_quaternion(along_w));
  CHECK(along_w[3] == -1);
  CHECK(!normalise_quaternion(infinite));
  CHECK(infinite[3] == 1);
}

TEST_CASE("neutral, random and normalised configurations are on the manifold") {
  for (const Model& m : joints()) {
    std::mt19937 rng(2);
    Vector q(static_cast<std::size_t>(m.nq));
    const auto unit = [&] {
      Vector copy = q;
      return normalise(m, copy.data()) && worst_error(copy, q) < 1e-14;
    };
    neutral(m, q.data());
    CHECK(unit());
    uniform_sample(m, rng, q.data());
    CHECK(unit());
    const bool has_quaternion = m.nq != m.nv;
    CHECK(normalise(m, Vector(q.size(), 0.0).data()) == !has_quaternion);
    CHECK(normalise(m, Vector(q.size(), NAN).data()) == !has_quaternion);
  }
}

TEST_CASE("a quaternion and its rotation give each other back") {
  const Model m = random_tree(1, 7, {false, false, 0.0, {JointKind::spherical}});
  std::mt19937 rng(5);
  std::vector<State> states = special_states(m, rng, 50);
  for (int k = 0; k < 100; ++k) states.push_back(random_state(m, rng));
  for (Vector turn : {Vector{1, 0, 0, 0}, Vector{0, 1, 0, 0}, Vector{0, 0, 1, 0}}) states.push_back({turn, {}, {}, {}, {}});
  for (const State& s : states) {
    const Mat3<double> R = rotation_from_quaternion(s.q.data());
    const auto u = quaternion_from_rotation(R);
    CHECK(u[3] >= 0);
    const Mat3<double> again = rotation_from_quaternion(u.data());
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) CHECK(std::fabs(again(i, k) - R(i, k)) < 1e-14);
  }
}

TEST_CASE("S is the rate of the pose, and constant in the body's frame") {
  const double h = 1e-5;
  for (const Model& m : joints()) {
    std::mt19937 rng(3);
    Workspace<double> ws(m);
    for (int k = 0; k < 10; ++k) {
      const State s = random_state(m, rng);
      const Pose<double> at = pose(m, ws, s.q);
      const auto along = [&](double t) { return plus(m, s.q, sum(times(t, s.v), times(t * t / 2, s.a))); };
      // Rᵀ R-dot = [ω]×, Rᵀ d-dot = v
      const Pose<double> next = pose(m, ws, along(h)), last = pose(m, ws, along(-h));
      const Mat3<double> W = transpose(at.R) * (next.R - last.R);
      const Vec3<double> V = transposed_times(at.R, next.d - last.d);
      const Vector rate = times(1 / (2 * h), {W(2, 1), W(0, 2), W(1, 0), V[0], V[1], V[2]});
      CHECK(norm_error(rate, entries(velocity(m, ws, s.q, s.v))) < 1e-7);
      // v(t) = v + a t + O(t²) along this curve
      const Vector faster = entries(velocity(m, ws, along(h), sum(s.v, times(h, s.a))));
      const Vector slower = entries(velocity(m, ws, along(-h), sum(s.v, times(-h, s.a))));
      forward_kinematics(m, ws, s.q.data(), s.v.data(), s.a.data());
      CHECK(norm_error(times(1 / (2 * h), sum(faster, times(-1, slower))), entries(ws.acceleration.back())) < 1e-7);
    }
  }
}

TEST_CASE("a joint's torques and the wrench they balance do the same work") {
  for (const Model& m : joints()) {
    std::mt19937 rng(4);
    Workspace<double> ws(m);
    const State s = random_state(m, rng);
    const Vector zero(s.v.size(), 0.0);
    Vector tau(s.v.size());
    rnea(m, ws, s.q.data(), zero.data(), zero.data(), s.fx.data(), tau.data());
    forward_kinematics<double>(m, ws, s.q.data(), s.v.data(), nullptr);
    double torques = 0, wrenches = 0;
    for (std::size_t i = 0; i < tau.size(); ++i) torques += tau[i] * s.v[i];
    for (std::size_t b = 0; b < s.fx.size(); ++b) wrenches += dot(ws.velocity[b], s.fx[b]);
    CHECK(-torques == Approx(wrenches).epsilon(1e-12).margin(1e-12));
  }
}

TEST_CASE("A joint that turns its own shifts holds the position of its origin along their axes at rest") {
  int found = 0;
  for (JointKind kind : every_joint_kind()) {
    const Model m = random_tree(1, 7, {false, false, 0.0, {kind}});
    std::mt19937 rng(3);
    const Vector q = normal_sample(m, rng);
    for (const Body& body : m.bodies) {
      if (!turns_own_shifts(body.joint)) continue;
      INFO(kind_name(kind));
      int lengths = 0, shifts = 0;
      for (int k = 0; k < coordinates(body.joint); ++k) lengths += coordinate_of(body.joint, k).measure == Measure::length;
      for_each_shift(body.joint, [&](int, int k, int axis) {
        Vector far = q;
        far[static_cast<std::size_t>(body.q + k)] += 0.7;
        const Pose<double> before = joint_pose(body, q.data()), after = joint_pose(body, far.data());
        for (int i = 0; i < 3; ++i) {
          CHECK(after.d[i] - before.d[i] == Approx(0.7 * body.placement.R(i, axis)).margin(1e-14));
          for (int j = 0; j < 3; ++j) CHECK(after.R(i, j) == before.R(i, j));
        }
        ++shifts, ++found;
      });
      CHECK(shifts == lengths);
    }
  }
  CHECK(found >= 5);  // of planar and floating joints
}
