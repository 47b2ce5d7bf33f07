// Forward and inverse dynamics under constraints: beside each other, beside the forces that act on the links, and beside the
// geometry that the rows are made from. (python/tests/test_contacts.py holds them beside MuJoCo.)
#include "sparsedyn/constraints/constrained_dynamics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "constrained_states.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/four_bar.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Where bodies are after so much time with the accelerations a, to second order.
Workspace<double> moved(const Model& model, const Instant& s, const std::vector<double>& a, double time,
                        std::vector<double>& q) {
  std::vector<double> step(model.nv);
  for (int k = 0; k < model.nv; ++k) step[k] = time * s.v[k] + 0.5 * time * time * a[k];
  integrate(model, s.q.data(), step.data(), q.data());
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
  return ws;
}

}  // namespace

TEST_CASE("forward and inverse dynamics under soft constraints return each other's accelerations, torques and forces") {
  std::mt19937 rng(5);
  TreeOptions options;
  options.kinds = every_joint_kind();
  int forces = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = with_stops(random_tree(7, seed, options), rng);
    const Instant s = instant(model, rng);
    ConstraintSet set = touching(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal);
    add_joint_constraints(model, set);
    ConstrainedDynamics dynamics(model, set);
    ConstrainedAnswer forward(model, dynamics), inverse(model, dynamics);
    const ConstraintStatus status = solve(dynamics, s, forward);
    CAPTURE(seed, dynamics.describe(status));
    REQUIRE(status.ok());
    std::vector<double> tau(model.nv);
    REQUIRE(
        dynamics
            .inverse(s.q.data(), s.v.data(), forward.a.data(), nullptr, tau.data(), inverse.lambda.data(), inverse.gap.data())
            .ok());
    check_near(inverse.lambda, forward.lambda, 1e-8);
    check_near(inverse.gap, forward.gap, 1e-14);
    double size = 1;
    for (double x : forward.lambda) size = std::max(size, std::abs(x)), forces += x != 0;
    for (int k = 0; k < model.nv; ++k) CHECK(std::abs(tau[k] - s.tau[k]) <= 1e-8 * size);
  }
  CHECK(forces > 400);
}

TEST_CASE("contact forces are those that, put on the links, move the robot without constraints, and lie in their cones") {
  std::mt19937 rng(8);
  for (unsigned seed = 0; seed < 20; ++seed) {
    TreeOptions options;
    options.floating = true;
    const Model model = random_tree(6, seed, options);
    const Instant s = instant(model, rng);
    const ConstraintSet set = touching(model, s, rng, Cone::elliptic);
    ConstrainedDynamics dynamics(model, set);
    ConstrainedAnswer found(model, dynamics);
    REQUIRE(solve(dynamics, s, found).ok());
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
    std::vector<Force<double>> fx(model.bodies.size(), Force<double>{zero3<double>(), zero3<double>()});
    const double* lambda = found.lambda.data();
    const double* gap = found.gap.data();
    for (const Constraint& c : set.constraints) {
      const int link = model.find_link(c.links[0]), body = model.links[link].body;
      const Pose<double> pose = link_pose(model, ws, link);
      const Vec3<double> n = (1 / std::sqrt(dot(c.plane_normal, c.plane_normal))) * c.plane_normal;
      for (const Vec3<double>& point : c.points) {
        const Vec3<double> centre = pose.R * point + pose.d, f{{lambda[0], lambda[1], lambda[2]}};
        CHECK(*gap == Approx(dot(n, centre - c.plane_point) - c.radius).margin(1e-14));
        Vec3<double> moment = zero3<double>();
        const bool turns = c.friction.size() > 1;
        if (turns) moment = {{lambda[3], lambda[4], lambda[5]}};
        const double normal = dot(f, n), sliding = std::sqrt(dot(f - normal * n, f - normal * n));
        CHECK(normal >= -1e-10);
        CHECK(sliding <= (c.friction.empty() ? 0 : c.friction[0]) * normal + 1e-9 * (1 + normal));
        if (*gap >= 0) CHECK(normal == 0);
        const Vec3<double> at = centre - (c.radius + 0.5 * *gap) * n;
        const Pose<double>& frame = ws.world_pose[body];
        const Force<double> wrench{transposed_times(frame.R, cross(at - frame.d, f) + moment), transposed_times(frame.R, f)};
        fx[body] = fx[body] + wrench;
        lambda += turns ? 6 : 3, ++gap;
      }
    }
    std::vector<double> a(model.nv);
    REQUIRE(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), fx.data(), a.data()).ok());
    check_near(found.a, a, 1e-9);
  }
}

TEST_CASE("hard rows hold: the paths' second differences are what the stabilisation asks for") {
  // along q(t) with q̈ = a, φ'' = −2 ω φ' − ω² φ, for points, frames and a coupling, also where one of them stands twice
  std::mt19937 rng(11);
  for (unsigned seed = 0; seed < 10; ++seed) {
    TreeOptions options;
    options.branching = 0, options.lumped = false;
    options.floating = seed % 2 == 0;
    const Model model = random_tree(9, seed, options);
    const Instant s = instant(model, rng);
    Constraint connect, twice, joint;
    const std::string far = model.links.back().name;
    const std::string near = model.links[model.links.size() / 3].name;
    connect.name = "loop", connect.type = ConstraintType::connect, connect.links = {far, near}, connect.hard = true;
    connect.omega = 3, connect.frames[0].d = {{0.1, 0.2, 0}}, connect.frames[1].d = {{0, -0.1, 0.3}};
    twice = connect, twice.name = "twice";
    joint.name = "gear", joint.type = ConstraintType::joint, joint.hard = true, joint.omega = 2;
    joint.joints = {model.joints[model.joints.size() / 2].name}, joint.of = model.joints.back().name;
    REQUIRE(joint.joints[0] != joint.of);
    joint.polynomial = {0.2, 0.5, 0.3};
    const Joint& more = model.joints[model.joints.size() / 2 - 1];
    joint.linear = {{more.name, -0.6}};
    for (const bool redundant : {false, true}) {
      ConstraintSet set;
      set.constraints = {connect, joint};
      if (redundant) set.constraints.push_back(twice);
      ConstrainedDynamics dynamics(model, set);
      ConstrainedAnswer found(model, dynamics);
      const ConstraintStatus status = solve(dynamics, s, found);
      CAPTURE(seed, redundant, dynamics.describe(status));
      REQUIRE(status.ok());
      const double t = 1e-4;
      const auto errors_at = [&](double time) {
        std::vector<double> q(model.nq);
        const Workspace<double> ws = moved(model, s, found.a, time, q);
        const Pose<double> one = link_pose(model, ws, model.find_link(far)),
                           other = link_pose(model, ws, model.find_link(near));
        const Vec3<double> apart = one.R * connect.frames[0].d + one.d - (other.R * connect.frames[1].d + other.d);
        const double x = q[model.joints.back().q], y = q[model.joints[model.find_joint(joint.joints[0])].q];
        const double shift = -0.6 * q[static_cast<std::size_t>(more.q)];
        return std::array<double, 4>{apart[0], apart[1], apart[2], y - (0.2 + 0.5 * x + 0.3 * x * x + shift)};
      };
      const auto before = errors_at(-t), now = errors_at(0), after = errors_at(t);
      for (int k = 0; k < 4; ++k) {
        const double omega = k < 3 ? 3 : 2, rate = (after[k] - before[k]) / (2 * t);
        const double change = (after[k] - 2 * now[k] + before[k]) / (t * t);
        CHECK(change == Approx(-2 * omega * rate - omega * omega * now[k]).margin(1e-4 * (1 + std::abs(change))));
      }
    }
  }
}

TEST_CASE("a weld that is hard keeps a frame: angular rows by differences") {
  std::mt19937 rng(3);
  TreeOptions options;
  options.branching = 0, options.lumped = false;
  for (unsigned seed = 20; seed < 26; ++seed) {
    const Model model = random_tree(9, seed, options);
    Instant s = instant(model, rng);
    const std::string far = model.links.back().name;
    Constraint weld;
    weld.name = "weld", weld.type = ConstraintType::weld, weld.links = {far, "world"}, weld.hard = true, weld.omega = 0;
    weld.frames[0] = {rotation_from_rpy({{0.3, -0.2, 0.5}}), {{0.1, 0, 0.2}}};
    weld.frames[1] = {rotation_from_rpy({{-0.4, 0.1, 0.9}}), {{0.4, 0.3, 0.1}}};
    ConstraintSet set;
    set.constraints = {weld};
    ConstrainedDynamics dynamics(model, set);
    ConstrainedAnswer found(model, dynamics);
    const ConstraintStatus status = solve(dynamics, s, found);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    double largest = 1;
    for (double a : found.a) largest = std::max(largest, std::abs(a));
    const double t = 1e-4;
    const auto turn_at = [&](double time) {
      std::vector<double> q(model.nq);
      const Workspace<double> ws = moved(model, s, found.a, time, q);
      const Mat3<double> R = link_pose(model, ws, model.find_link(far)).R * weld.frames[0].R;
      const std::array<double, 4> u = quaternion_from_rotation(transpose(weld.frames[1].R) * R);
      return Vec3<double>{{u[0], u[1], u[2]}};
    };
    const Vec3<double> change = (1 / (t * t)) * (turn_at(t) - 2.0 * turn_at(0) + turn_at(-t));
    for (int k = 0; k < 3; ++k) CHECK(std::abs(change[k]) <= 1e-4 * largest);
  }
}

TEST_CASE("a planar four-bar linkage has one redundant row and one freedom") {
  const Model model = four_bar();
  const Constraint loop = four_bar_loop();
  Constraint soft = loop;
  soft.name = "soft", soft.hard = false;
  ConstraintSet set;
  set.constraints = {loop, soft};
  HardRows found = hard_rows(model, set);
  CHECK((found.rows == 3 && found.rank == 2 && found.freedoms == 1));
  CHECK(found.redundant == std::vector<std::string>{"rod.y"});
  Constraint again = loop;
  again.name = "again";
  set.constraints = {loop, again};
  found = hard_rows(model, set);
  CHECK((found.rows == 6 && found.rank == 2 && found.redundant.size() == 4));

  // the redundant row does no harm: accelerations are those of the loop's two rows, eliminated from M a = tau − bias + J' λ
  set.constraints = {loop};
  ConstrainedDynamics dynamics(model, set);
  std::mt19937 rng(6);
  const Instant s = instant(model, rng);
  ConstrainedAnswer one(model, dynamics);
  REQUIRE(solve(dynamics, s, one).ok());
  Workspace<double> ws(model);
  std::vector<double> bias(3);
  rnea(model, ws, s.q.data(), s.v.data(), one.a.data(), static_cast<const Force<double>*>(nullptr), bias.data());
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  std::vector<double> J1(18), J2(18);
  link_jacobian(model, ws, 2, Axes::world, J1.data());
  link_jacobian(model, ws, 3, Axes::world, J2.data());
  const auto push = [&](int link, const double* J, const Vec3<double>& point, int i) {
    const Vec3<double> arm = link_pose(model, ws, link).R * point, f{{one.lambda[0], one.lambda[1], one.lambda[2]}};
    const Vec3<double> w{{J[i], J[3 + i], J[6 + i]}}, v{{J[9 + i], J[12 + i], J[15 + i]}};
    return dot(v + cross(w, arm), f);
  };
  for (int i = 0; i < 3; ++i)
    CHECK(bias[i] ==
          Approx(s.tau[i] + push(2, J1.data(), loop.frames[0].d, i) - push(3, J2.data(), loop.frames[1].d, i)).margin(1e-7));
}

TEST_CASE("hard rows that contradict each other are named") {
  std::mt19937 rng(3);
  TreeOptions options;
  options.branching = 0;
  const Model model = random_tree(2, 1, options);
  const Instant s = instant(model, rng);
  Constraint loop;
  loop.name = "loop", loop.type = ConstraintType::connect, loop.links = {model.links.back().name, "world"}, loop.hard = true;
  ConstraintSet set;
  set.constraints = {loop};
  ConstrainedDynamics dynamics(model, set);
  ConstrainedAnswer found(model, dynamics);
  const ConstraintStatus status = solve(dynamics, s, found);
  CHECK(status.state == ConstraintState::not_converged);
  CHECK(status.constraint == 0);
  CHECK(dynamics.describe(status).find("\"loop\"") != std::string::npos);
}

TEST_CASE("what touches nothing moves as the articulated-body algorithm says") {
  std::mt19937 rng(2);
  const Model model = random_tree(6, 3);
  const Instant s = instant(model, rng);
  Constraint c;
  c.name = "high", c.links = {model.links.back().name}, c.points = {zero3<double>()}, c.plane_point = {{0, 0, -100}};
  ConstraintSet set;
  set.constraints = {c};
  ConstrainedDynamics dynamics(model, set);
  ConstrainedAnswer found(model, dynamics);
  REQUIRE(solve(dynamics, s, found).ok());
  Workspace<double> ws(model);
  std::vector<double> a(model.nv);
  REQUIRE(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr), a.data()).ok());
  check_near(found.a, a, 1e-10);
  CHECK(found.lambda == std::vector<double>(3, 0.0));
  CHECK(found.gap[0] > 90);
  CHECK(dynamics.force_columns() == std::vector<std::string>{"high.0.x", "high.0.y", "high.0.z"});
}

TEST_CASE("a call takes no heap, a warm start gives the same answer, and what is not finite is said") {
  std::mt19937 rng(9);
  TreeOptions options;
  options.floating = true;
  const Model model = with_stops(random_tree(8, 4, options), rng);
  Instant s = instant(model, rng);
  ConstraintSet set = touching(model, s, rng, Cone::elliptic);
  add_joint_constraints(model, set);
  ConstraintOptions choice;
  choice.warm = true;
  ConstrainedDynamics cold(model, set), warm(model, set, choice);
  ConstrainedAnswer one(model, cold), other(model, warm);
  int steps[2] = {0, 0};
  for (int k = 0; k < 5; ++k) {
    for (double& v : s.v) v += 1e-3;
    ConstraintStatus status[2];
    CHECK(allocations_of([&] {
            status[0] = solve(cold, s, one);
            status[1] = solve(warm, s, other);
          }) == 0);
    REQUIRE((status[0].ok() && status[1].ok()));
    for (int i = 0; i < 2; ++i) steps[i] += status[i].iterations;
    check_near(other.a, one.a, 1e-8);
  }
  CHECK(steps[1] < steps[0]);
  s.tau[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(solve(warm, s, one).state == ConstraintState::not_finite_input);
}

TEST_CASE("names that do not fit are refused") {
  const Model model = random_tree(4, 1);
  const auto refused = [&](const Constraint& c) {
    ConstraintSet set;
    set.constraints = {c};
    CHECK_THROWS_AS(ConstrainedDynamics(model, set), std::invalid_argument);
  };
  Constraint c;
  c.name = "c", c.points = {zero3<double>()};
  refused(c);
  c.links = {"nowhere"};
  refused(c);
  c.type = ConstraintType::connect, c.links = {model.links[1].name, model.links[1].name};
  refused(c);
  c.type = ConstraintType::limit, c.joints = {model.joints[0].name};
  refused(c);
}

TEST_CASE("of what moves no mass soft constraints are refused, without them the freedom is named") {
  const Model model = massless_tip();  // freedom 1 moves no mass
  ConstraintSet set;
  ConstrainedDynamics none(model, set);
  const Instant s{{0.1, 0.2}, {0, 0}, {1, 0}};
  ConstrainedAnswer x(model, none);
  const ConstraintStatus status = solve(none, s, x);
  CHECK(status.state == ConstraintState::singular);
  CHECK(status.freedom == 1);
  Constraint rub;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.loss = 1, rub.joints = {model.joints[1].name};
  set.constraints = {rub};
  CHECK_THROWS_AS(ConstrainedDynamics(model, set), std::invalid_argument);
  CHECK_THROWS_WITH(ConstrainedDynamics(model, set), Catch::Contains("joint \"" + model.joints[1].name + "\""));
  set.constraints[0].joints = {model.joints[0].name};
  CHECK_NOTHROW(ConstrainedDynamics(model, set));
}
