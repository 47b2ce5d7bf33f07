// Formulas near the places where they take differences of nearly equal numbers, at 1e-1 … 1e-12 from them, beside 34 digits.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"
#include "support/world_dynamics.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const double pi = std::acos(-1.0);

double error(const Mat3<double>& R, const Mat3<Quad>& exact) {
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) worst = std::max(worst, static_cast<double>(abs(R(i, k) - exact(i, k))));
  return worst;
}

/// |Rᵀ R − 1| by its largest entry, in Quad.
double defect(const Mat3<double>& R) {
  const Mat3<Quad> wide = cast<Quad>(R), product = transpose(wide) * wide;
  return error(identity3<double>(), product);
}

double relative_error(const Vec3<double>& a, const Vec3<Quad>& exact) {
  const Vec3<Quad> off = cast<Quad>(a) - exact;
  return static_cast<double>(sqrt(dot(off, off)) / sqrt(dot(exact, exact)));
}

Vec3<double> unit(const Vec3<double>& a) {
  const double length = std::hypot(a[0], a[1], a[2]);
  return {{a[0] / length, a[1] / length, a[2] / length}};
}

/// 1e-1 … 1e-12, of both signs.
std::vector<double> slivers() {
  std::vector<double> x;
  for (int k = 1; k <= 12; ++k) x.push_back(std::pow(10.0, -k)), x.push_back(-std::pow(10.0, -k));
  return x;
}

/// A body of its own on a joint of its own.
Model one_joint(JointKind kind) {
  std::mt19937 rng(1);
  JointSpec spec;
  spec.kind = kind;
  spec.axis = {{0, 0, 1}};
  return ModelBuilder("one")
      .root("root", random_inertia(rng), false)
      .link("tip", random_inertia(rng), "root", "joint", spec, identity_pose<double>())
      .build();
}

/// A unit quaternion about a unit axis.
std::array<double, 4> turn(const Vec3<double>& axis, double angle) {
  std::array<double, 4> u{std::sin(angle / 2) * axis[0], std::sin(angle / 2) * axis[1], std::sin(angle / 2) * axis[2],
                          std::cos(angle / 2)};
  normalise_quaternion(u.data());
  return u;
}

/// The rotation vector of ū0 ⊗ u1, the shorter way round.
Vec3<Quad> quad_log(const std::array<double, 4>& u0, const std::array<double, 4>& u1) {
  const Vec3<Quad> a{{u0[0], u0[1], u0[2]}}, b{{u1[0], u1[1], u1[2]}};
  Vec3<Quad> v = Quad(u0[3]) * b - Quad(u1[3]) * a - cross(a, b);
  Quad w = Quad(u0[3]) * Quad(u1[3]) + dot(a, b);
  if (w < Quad(0.0)) v = -v, w = -w;
  const Quad s = sqrt(dot(v, v));
  return (Quad(2) * atan2(s, w) / s) * v;
}

}  // namespace

TEST_CASE("the shortest rotation is one, and right, near every coordinate axis") {
  std::mt19937 rng(1);
  double worst = 0, worst_defect = 0;
  for (int entry = 0; entry < 3; ++entry)
    for (double sign : {1.0, -1.0})
      for (double off : slivers())
        for (int trial = 0; trial < 20; ++trial) {
          Vec3<double> axis = off * random_vector(rng);
          axis[entry] = sign;
          axis = unit(axis);
          const Mat3<double> R = shortest_rotation(axis);
          worst = std::max(worst, error(R, quad_shortest_rotation(axis)));
          worst_defect = std::max(worst_defect, defect(R));
          for (int k = 0; k < 3; ++k) CHECK(R(k, 2) == axis[k]);
        }
  CHECK(worst < 1e-15);
  CHECK(worst_defect < 2e-15);
}

TEST_CASE("the shortest rotation where squares underflow, and to −z itself") {
  for (double x : {0.0, 1e-20, 1e-160, 1e-170, 3e-308, 4e-324, -1e-170})
    for (double y : {0.0, 1e-20, -1e-165, 2e-310, 4e-324}) {
      const Vec3<double> axis{{x, y, -1.0}};
      const Mat3<double> R = shortest_rotation(axis);
      CHECK(defect(R) < 2e-15);
      CHECK(error(R, quad_shortest_rotation(axis)) < 1e-15);
    }
}

TEST_CASE("axes of every length make the same joint") {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3<double> direction{{1e-7 * trial, -3e-9 * trial, -1.0}};
    for (double length : {1e-8, 1.0, 1e8, 1e200}) {
      JointSpec spec;
      spec.kind = JointKind::revolute;
      spec.axis = length * direction;
      const Model model = ModelBuilder("one")
                              .root("root", zero_inertia<double>(), false)
                              .link("tip", random_inertia(rng), "root", "joint", spec, identity_pose<double>())
                              .build();
      CHECK(error(model.bodies[0].placement.R, quad_shortest_rotation(spec.axis)) < 1e-15);
    }
  }
}

TEST_CASE("rotations from rpy and quaternions near quarter turns") {
  double worst = 0;
  for (int r = -4; r <= 4; ++r)
    for (int p = -4; p <= 4; ++p)
      for (double off : slivers()) {
        const Vec3<double> rpy{{r * pi / 2 + off, p * pi / 2 - 0.3 * off, (r + p) * pi / 2 + 2 * off}};
        const Mat3<double> R = rotation_from_rpy(rpy);
        worst = std::max(worst, error(R, quad_rotation_from_rpy(rpy)));
        // and through a quaternion and back
        const std::array<double, 4> u = quaternion_from_rotation(R);
        const Quad wide[4] = {u[0], u[1], u[2], u[3]};
        worst = std::max({worst, error(R, quad_rotation_from_quaternion(wide)),
                          error(rotation_from_quaternion(u.data()), quad_rotation_from_quaternion(wide))});
      }
  CHECK(worst < 1e-15);
}

TEST_CASE("the difference of neighbouring orientations keeps its digits") {
  const Model model = one_joint(JointKind::spherical);
  std::mt19937 rng(3);
  double worst = 0;
  for (double off : slivers())
    for (int trial = 0; trial < 50; ++trial) {
      const std::array<double, 4> u0 = turn(unit(random_vector(rng)), 3.0);
      std::array<double, 4> u1;
      rotate_quaternion(u0.data(), off * unit(random_vector(rng)), u1.data());
      if (trial % 2)
        for (double& e : u1) e = -e;
      double delta[3];
      difference(model, u0.data(), u1.data(), delta);
      worst = std::max(worst, relative_error({{delta[0], delta[1], delta[2]}}, quad_log(u0, u1)));
    }
  CHECK(worst < 2e-15);
}

TEST_CASE("the difference of orientations near half a turn apart") {
  const Model model = one_joint(JointKind::spherical);
  std::mt19937 rng(4);
  double worst = 0;
  for (double off : slivers())
    for (int trial = 0; trial < 50; ++trial) {
      const std::array<double, 4> u0 = turn(unit(random_vector(rng)), 1.0);
      std::array<double, 4> u1;
      rotate_quaternion(u0.data(), (pi + off) * unit(random_vector(rng)), u1.data());
      double delta[3];
      difference(model, u0.data(), u1.data(), delta);
      worst = std::max(worst, relative_error({{delta[0], delta[1], delta[2]}}, quad_log(u0, u1)));
    }
  CHECK(worst < 2e-15);
}

TEST_CASE("planar differences near no turn, half turns and full turns") {
  const Model model = one_joint(JointKind::planar);
  for (int turns = 0; turns <= 3; ++turns)
    for (double off : slivers()) {
      const double angle = turns * pi + off;
      const double q0[3] = {0, 0, 0}, q1[3] = {0.7, -0.4, angle};
      double delta[3];
      difference(model, q0, q1, delta);
      // V⁻¹ p with h = θ/2: h cot h p − h e_z × p
      const Quad h = Quad(0.5) * Quad(angle), c = h * cos(h) / sin(h);
      const Vec3<Quad> exact{{c * Quad(0.7) + h * Quad(-0.4), c * Quad(-0.4) - h * Quad(0.7), Quad(angle)}};
      CAPTURE(turns, off);
      CHECK(relative_error({{delta[0], delta[1], delta[2]}}, exact) < 2e-15);
      double back[3];
      integrate<double>(model, q0, delta, back);
      // V's smallest factor is sin h / h
      const double lost = 1 / std::fabs(std::sin(0.5 * angle));
      for (int k = 0; k < 2; ++k) CHECK(std::fabs(back[k] - q1[k]) < 1e-15 * std::max(1.0, turns % 2 ? 1.0 : lost));
    }
}

TEST_CASE("exponential factors beside 34 digits, from no turn to beyond full ones") {
  for (double centre : {0.0, 0.2, pi, 2 * pi, 4 * pi})
    for (double off : slivers()) {
      const double theta = std::fabs(centre + off), x = theta * theta;
      const ExponentialFactors<double> e = exponential_factors(x);
      const Quad t = sqrt(Quad(x)), half = sin(Quad(0.5) * t), sinc = sin(t) / t, versine = Quad(2) * half * half / Quad(x);
      CAPTURE(centre, off);
      const auto near = [](double value, const Quad& exact, double size) {
        return static_cast<double>(abs(value - exact)) <= 1e-15 * size;
      };
      // sin θ/θ has a zero, at which x = θ² rounds; 1 − cos θ has double ones
      CHECK(near(e.sinc, sinc, std::max(std::fabs(static_cast<double>(sinc)), 1.0)));
      const double slope = theta > 1 ? 2e-15 * theta * std::fabs(std::sin(theta)) / x : 0.0;
      CHECK(static_cast<double>(abs(e.versine - versine)) <= 1e-15 * static_cast<double>(versine) + slope);
    }
}

TEST_CASE("a rod keeps the small moment about its axis") {
  for (double thin : slivers()) {
    const double small = std::fabs(thin);
    for (int along = 0; along < 3; ++along)
      for (double unequal : {0.0, 0.3, 1.0}) {  // the two large moments differ by at most the small one
        double I[3] = {1.7, 1.7, 1.7};
        I[along] = small, I[(along + 1) % 3] += unequal * small;
        const Inertia<double> body = inertia_about_com(1.0, zero3<double>(), {I[0], 0, 0, I[1], 0, I[2]});
        const Sym3<double> back = trace_minus(body.moments);
        const double found[3] = {back.xx, back.yy, back.zz};
        for (int k = 0; k < 3; ++k) CHECK(std::fabs(found[k] - I[k]) < 4e-16 * I[k]);
      }
  }
}
