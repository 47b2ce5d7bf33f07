// Legs that close over rods without mass: hard rows need no inverse inertia, soft ones do, each its own. Beside the equations
// of Lagrange's multipliers, beside rods of 1e-9 kg, and beside the limit of vanishing mass.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "constrained_states.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Inertia<double> uniform_rod(double mass, double length) {
  const double I = mass * length * length / 12;
  return inertia_about_com(mass, {{length / 2, 0, 0}}, {I / 100, 0, 0, I, 0, I});
}

/// A thigh and a shank; on the thigh a motor's crank, and a rod from it to the shank, both of `mass`.
Model leg(double mass, bool floating = false) {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  return ModelBuilder("leg")
      .root("trunk", inertia_about_com(10, {{0, 0, 0.1}}, {0.1, 0, 0, 0.2, 0, 0.3}), floating)
      .link("thigh", uniform_rod(2, 0.4), "trunk", "hip", hinge, at(0))
      .link("shank", uniform_rod(1, 0.4), "thigh", "knee", hinge, at(0.4))
      .link("crank", uniform_rod(mass, 0.1), "thigh", "motor", hinge, at(0.05))
      .link("rod", uniform_rod(mass, 0.35), "crank", "pin", hinge, at(0.1))
      .build();
}

ConstraintSet leg_loop(bool hard = true) {
  ConstraintSet set;
  Constraint c;
  c.name = "loop", c.type = ConstraintType::connect, c.links = {"rod", "shank"}, c.hard = hard;
  c.frames[0].d = {{0.35, 0, 0}}, c.frames[1].d = {{0.06, 0, 0.08}};
  set.constraints = {c};
  return set;
}

/// On the loop, with a velocity that keeps it closed.
Instant closed_instant(const Model& model, LoopProjection& loops, std::mt19937& rng) {
  for (;;) {
    Instant s = instant(model, rng);
    if (loops.project(s.q.data(), s.v.data()).ok()) return s;
  }
}

/// M a − Jᵀ λ = τ − bias, J a = a*, without the row out of the plane.
Eigen::VectorXd by_lagrange(const Model& model, const ConstraintSet& set, const Instant& s) {
  ConstraintRows rows(model, resolved(model, set, inverse_weights(model)));
  Workspace<double> ws(model);
  rows.at(ws, s.q.data(), s.v.data());
  const int n = model.nv;
  std::vector<double> M(static_cast<std::size_t>(n) * n), bias(static_cast<std::size_t>(n));
  crba(model, ws, s.q.data(), M.data());
  rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, nullptr, bias.data());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + 2, n + 2);
  Eigen::VectorXd right(n + 2);
  for (int i = 0; i < n; ++i) {
    right[i] = s.tau[static_cast<std::size_t>(i)] - bias[static_cast<std::size_t>(i)];
    for (int k = 0; k < n; ++k) K(i, k) = M[static_cast<std::size_t>(i) * n + k];
  }
  for (int r = 0; r < 2; ++r) {
    right[n + r] = rows.aim()[static_cast<std::size_t>(2 * r)];
    for (int i = 0; i < n; ++i) K(n + r, i) = rows.row(2 * r)[i], K(i, n + r) = -K(n + r, i);
  }
  return K.fullPivLu().solve(right).head(n);
}

}  // namespace

TEST_CASE("a leg that closes over massless rods moves by its hard rows, as with rods of a billionth of a kilogram") {
  const Model model = leg(0), light = leg(1e-9);
  LoopProjection loops(model, leg_loop());
  ConstrainedDynamics dynamics(model, leg_loop()), almost(light, leg_loop());
  std::mt19937 rng(2);
  for (int k = 0; k < 50; ++k) {
    const Instant s = closed_instant(model, loops, rng);
    ConstrainedAnswer x(model, dynamics), y(light, almost);
    const ConstraintStatus status = solve(dynamics, s, x);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    REQUIRE(solve(almost, s, y).ok());
    const Eigen::VectorXd exact = by_lagrange(model, leg_loop(), s);
    check_near(x.a, {exact.data(), exact.data() + exact.size()}, 1e-8);
    check_near(y.a, x.a, 1e-6);
  }
  CHECK(hard_rows(model, leg_loop()).freedoms == 2);
}

TEST_CASE("a soft row that holds what moves no mass is refused, with its line and the joint, hard ones and others are not") {
  const Model model = leg(0);
  ConstraintSet soft = leg_loop(false);
  CHECK_THROWS_WITH(
      ConstrainedDynamics(model, soft),
      Catch::Contains("constraint \"loop\": ") && Catch::Contains("link \"rod\"") &&
          (Catch::Contains("joint \"pin\" moves it and no mass") || Catch::Contains("joint \"motor\" moves it and no mass")) &&
          Catch::Contains("\"hard\": true"));
  soft.file = "loop.json", soft.constraints[0].line = 7;
  CHECK_THROWS_AS(ConstrainedDynamics(model, soft), InputError);
  CHECK_THROWS_WITH(ConstrainedDynamics(model, soft), Catch::StartsWith("loop.json:7: constraint \"loop\": "));
  ConstraintSet stop = leg_loop();
  Constraint rub;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.loss = 1, rub.joints = {"motor"};
  stop.constraints.push_back(rub);
  CHECK_THROWS_WITH(ConstrainedDynamics(model, stop), Catch::Contains("constraint \"rub\": ") &&
                                                          Catch::Contains("joint \"motor\" moves it and no mass") &&
                                                          !Catch::Contains("hard"));
  stop.constraints[1].joints = {"knee"};
  CHECK_NOTHROW(ConstrainedDynamics(model, stop));
}

TEST_CASE("weights of what massless joints do not move are the limit of vanishing mass") {
  for (const bool floating : {false, true}) {
    const InverseWeights none = inverse_weights(leg(0, floating)), little = inverse_weights(leg(1e-12, floating));
    for (std::size_t b = 0; b < none.body.size(); ++b) {
      CAPTURE(floating, b);
      const bool idle = b + 2 >= none.body.size();
      CHECK((none.body[b].idle >= 0) == idle);
      CHECK(little.body[b].idle < 0);
      if (idle) continue;
      CHECK(std::abs(none.body[b].linear - little.body[b].linear) <= 1e-8 * little.body[b].linear);
      CHECK(std::abs(none.body[b].angular - little.body[b].angular) <= 1e-8 * little.body[b].angular);
    }
    for (std::size_t k = 0; k + 2 < none.freedom.size(); ++k)
      CHECK(std::abs(none.freedom[k] - little.freedom[k]) <= 1e-8 * little.freedom[k]);
  }
}

TEST_CASE("where M is singular at the zero posture alone, weights are those of another posture") {
  // a wrist z-y-z whose links between have no mass: at q = 0 both z axes are one
  JointSpec z, y;
  z.kind = y.kind = JointKind::revolute, z.axis = {{0, 0, 1}}, y.axis = {{0, 1, 0}};
  const Pose<double> up{identity3<double>(), {{0, 0, 0.1}}};
  const Inertia<double> hand = inertia_about_com(1, {{0.02, 0, 0.1}}, {0.01, 0, 0, 0.02, 0, 0.03});
  const Model model = ModelBuilder("wrist")
                          .root("root", zero_inertia<double>(), false)
                          .link("one", zero_inertia<double>(), "root", "first", z, up)
                          .link("two", zero_inertia<double>(), "one", "second", y, up)
                          .link("hand", hand, "two", "third", z, up)
                          .build();
  const InverseWeights weights = inverse_weights(model);
  for (const InverseWeight& w : weights.body) CHECK(w.idle < 0);
  // by hand at q = (½, ½, ½): M⁻¹ of the third freedom
  const std::vector<double> q(3, 0.5);
  Workspace<double> ws(model);
  Eigen::Matrix3d M;
  crba(model, ws, q.data(), M.data());
  for (int k = 0; k < 3; ++k)
    CHECK(std::abs(weights.freedom[static_cast<std::size_t>(k)] - M.inverse()(k, k)) <= 1e-9 * M.inverse()(k, k));
  ConstraintSet set;
  Constraint rub;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.loss = 1, rub.joints = {"third"};
  set.constraints = {rub};
  CHECK_NOTHROW(ConstrainedDynamics(model, set));
}
