// First derivatives of forward dynamics under constraints beside differences of it, of fourth order, along the tangent space:
// all cones and frictions, stops, dry friction, couplings, loops soft and hard.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "constrained_states.hpp"
#include "derivative_differences.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/coupled.hpp"
#include "support/heap.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Constraint loop_of(const Model& model, ConstraintType type, bool hard) {
  Constraint c;
  c.name = "loop", c.type = type, c.hard = hard, c.omega = 3;
  c.links = {model.links.back().name, model.links[model.links.size() / 3].name};
  c.frames[0] = {rotation_from_rpy({{0.3, -0.2, 0.5}}), {{0.1, 0.2, 0}}};
  c.frames[1] = {rotation_from_rpy({{-0.4, 0.1, 0.9}}), {{0, -0.1, 0.3}}};
  c.solref = SolverReference{0.5, 1}, c.solimp = SolverImpedance{0.4, 0.9, 2, 0.5, 2};
  return c;
}

}  // namespace

TEST_CASE("derivatives under contacts, stops, dry friction and a coupling are the differences'") {
  std::mt19937 rng(5);
  TreeOptions options;
  options.kinds = every_joint_kind();
  Judged judged;
  for (unsigned seed = 0; seed < 16; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = with_stops(random_tree(6, seed, options), rng);
    const Instant s = instant(model, rng);
    ConstraintSet set = touching(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal);
    set.parameters.solimp = {0.7, 0.95, 0.02, 0.4, seed % 3 == 0 ? 1.0 : 2.0};
    add_joint_constraints(model, set);
    CAPTURE(seed);
    hold_against_differences(model, set, s, judged);
  }
  CAPTURE(judged.accelerations, judged.kinks_of_accelerations, judged.forces, judged.kinks_of_forces);
  CHECK(judged.accelerations > 9 * judged.kinks_of_accelerations);
}

TEST_CASE("derivatives of coupled joints under contacts, stops, dry friction and loops are the differences'") {
  std::mt19937 rng(6);
  TreeOptions options;
  options.kinds = every_joint_kind();
  Judged judged;
  for (unsigned seed = 0; seed < 10; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_coupled_robot(with_stops(random_tree(7, seed, options), rng), seed).model;
    const Instant s = instant(model, rng);
    ConstraintSet set = touching(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal);
    set.parameters.solimp = {0.7, 0.95, 0.02, 0.4, 2.0};
    add_joint_constraints(model, set);
    CAPTURE(seed);
    hold_against_differences(model, set, s, judged);
    set.constraints = {loop_of(model, seed % 3 ? ConstraintType::connect : ConstraintType::weld, false)};
    hold_against_differences(model, set, s, judged);
  }
  CAPTURE(judged.accelerations, judged.kinks_of_accelerations, judged.forces, judged.kinks_of_forces);
  CHECK(judged.accelerations > 9 * judged.kinks_of_accelerations);
}

TEST_CASE("derivatives under soft loops are the differences', of points, frames and joints") {
  std::mt19937 rng(7);
  TreeOptions options;
  options.branching = 0, options.lumped = false;
  Judged judged;
  for (const ConstraintType type : {ConstraintType::connect, ConstraintType::weld})
    for (unsigned seed = 0; seed < 4; ++seed) {
      options.floating = seed % 2 == 0;
      const Model model = random_tree(9, seed, options);
      const Instant s = instant(model, rng);
      ConstraintSet set;
      set.constraints = {loop_of(model, type, false)};
      if (seed == 1) set.constraints[0].links[1] = "world";
      Constraint gear;
      gear.name = "gear", gear.type = ConstraintType::joint, gear.polynomial = {0.2, 0.5, 0.3, -0.1};
      gear.joints = {model.joints[model.joints.size() / 2].name}, gear.of = model.joints.back().name;
      gear.linear = {{model.joints[model.joints.size() / 2 - 1].name, -0.4}};
      if (type == ConstraintType::connect) set.constraints.push_back(gear);
      CAPTURE(seed, type);
      hold_against_differences(model, set, s, judged);
    }
  CAPTURE(judged.accelerations, judged.kinks_of_accelerations, judged.forces, judged.kinks_of_forces);
  CHECK(judged.accelerations > 50 * judged.kinks_of_accelerations);
}

namespace {

/// [a; λ] under one hard connect and one hard joint constraint, p = c0 + c1 x + c2 x², by the equations of Lagrange's
/// multipliers, whose digits differences can use.
std::vector<double> by_multipliers(const Model& model, const Constraint& loop, const Constraint& gear, const Instant& s) {
  const int n = model.nv, m = 4;
  Workspace<double> ws(model);
  std::vector<double> bias(static_cast<std::size_t>(n)), zero(bias), M(static_cast<std::size_t>(n) * n), J(6 * M.size());
  rnea<double>(model, ws, s.q.data(), s.v.data(), zero.data(), nullptr, bias.data());
  crba(model, ws, s.q.data(), M.data());
  forward_kinematics<double>(model, ws, s.q.data(), s.v.data(), nullptr);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + m);
  for (int i = 0; i < n; ++i) {
    right[i] = s.tau[i] - bias[i];
    for (int k = 0; k < n; ++k) K(i, k) = M[static_cast<std::size_t>(std::max(i, k) * n + std::min(i, k))];
  }
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1 : -1;
    const int link = model.find_link(loop.links[static_cast<std::size_t>(side)]);
    const Pose<double> pose = link_pose(model, ws, link);
    const Motion<double> v = link_velocity(model, ws, link), a = link_acceleration(model, ws, link);
    const Vec3<double> arm = pose.R * loop.frames[static_cast<std::size_t>(side)].d, w = pose.R * v.w;
    const Vec3<double> speed = pose.R * v.v + cross(w, arm),
                       drift = pose.R * (a.v + cross(v.w, v.v)) + cross(pose.R * a.w, arm) + cross(w, cross(w, arm)),
                       aim = -1.0 * drift - 2 * loop.omega * speed - loop.omega * loop.omega * (pose.d + arm);
    link_jacobian(model, ws, link, Axes::world, J.data());
    for (int i = 0; i < n; ++i) {
      const auto at = [&](int r) { return J[static_cast<std::size_t>(r * n + i)]; };
      const Vec3<double> moved = Vec3<double>{{at(3), at(4), at(5)}} + cross(Vec3<double>{{at(0), at(1), at(2)}}, arm);
      for (int r = 0; r < 3; ++r) K(n + r, i) += sign * moved[r];
    }
    for (int r = 0; r < 3; ++r) right[n + r] += sign * aim[r];
  }
  const Joint &joint = model.joints[static_cast<std::size_t>(model.find_joint(gear.joints[0]))],
              &of = model.joints[static_cast<std::size_t>(model.find_joint(gear.of))];
  const std::vector<double>& c = gear.polynomial;
  const double x = s.q[static_cast<std::size_t>(of.q)], rate = s.v[static_cast<std::size_t>(of.v)], slope = c[1] + 2 * c[2] * x;
  K(n + 3, joint.v) = 1, K(n + 3, of.v) = -slope;
  right[n + 3] = 2 * c[2] * rate * rate - 2 * gear.omega * (s.v[static_cast<std::size_t>(joint.v)] - slope * rate) -
                 gear.omega * gear.omega * (s.q[static_cast<std::size_t>(joint.q)] - (c[0] + c[1] * x + c[2] * x * x));
  for (const auto& [name, factor] : gear.linear) {
    const Joint& more = model.joints[static_cast<std::size_t>(model.find_joint(name))];
    K(n + 3, more.v) -= factor;
    right[n + 3] += 2 * gear.omega * factor * s.v[static_cast<std::size_t>(more.v)] +
                    gear.omega * gear.omega * factor * s.q[static_cast<std::size_t>(more.q)];
  }
  K.topRightCorner(n, m) = -K.bottomLeftCorner(m, n).transpose();
  const Eigen::VectorXd found = K.fullPivLu().solve(right);
  return {found.data(), found.data() + n + m};
}

}  // namespace

TEST_CASE("derivatives under hard loops are the differences of what Lagrange's multipliers give") {
  std::mt19937 rng(7);
  TreeOptions options;
  options.branching = 0, options.lumped = false;
  for (unsigned seed = 0; seed < 6; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(9, seed, options);
    const Instant s = instant(model, rng);
    const Constraint loop = loop_of(model, ConstraintType::connect, true);
    Constraint gear;
    gear.name = "gear", gear.type = ConstraintType::joint, gear.hard = true, gear.polynomial = {0.2, 0.5, 0.3}, gear.omega = 2;
    gear.joints = {model.joints[model.joints.size() / 2].name}, gear.of = model.joints.back().name;
    if (seed > 2) gear.linear = {{model.joints[model.joints.size() / 2 - 1].name, -0.4}, {model.joints[2].name, 0.7}};
    ConstraintSet set;
    set.constraints = {loop, gear};
    ConstrainedDynamics dynamics(model, set);
    Derivatives found(model, dynamics);
    const ConstraintStatus status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out());
    CAPTURE(seed, dynamics.describe(status));
    REQUIRE(status.ok());
    for (int kind = 0; kind < 3; ++kind)
      for (int i = 0; i < model.nv; ++i) {
        const double step = 1e-3;
        const auto at = [&](double x) { return by_multipliers(model, loop, gear, moved_along(model, s, kind, i, x)); };
        const std::vector<double> far = at(2 * step), near = at(step), back = at(-step), farthest = at(-2 * step);
        std::vector<double> slope;
        for (std::size_t k = 0; k < far.size(); ++k)
          slope.push_back((8 * (near[k] - back[k]) - (far[k] - farthest[k])) / (12 * step));
        CAPTURE(kind, i);
        CHECK(apart(found.column(kind, i), slope) <= 1e-6);
      }
  }
}

TEST_CASE("a hard weld that holds, and three points of it, six rows of nine: one derivative") {
  std::mt19937 rng(4);
  TreeOptions options;
  options.branching = 0, options.lumped = false;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Model model = random_tree(10, seed, options);
    Instant s = instant(model, rng);
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
    Constraint weld = loop_of(model, ConstraintType::weld, true);
    weld.links[1] = "world";
    weld.frames[1] = link_pose(model, ws, model.find_link(weld.links[0])) * weld.frames[0];
    ConstraintSet one, three;
    one.constraints = {weld};
    REQUIRE(LoopProjection(model, one).project(s.q.data(), s.v.data()).ok());
    for (int k = 0; k < 3; ++k) {
      Constraint point = weld;
      point.type = ConstraintType::connect, point.name = "point" + std::to_string(k);
      for (Pose<double>& frame : point.frames) {
        Vec3<double> from = zero3<double>();
        from[k] = 0.4;
        frame.d = frame.R * from + frame.d;
      }
      three.constraints.push_back(point);
    }
    ConstrainedDynamics welded(model, one), held(model, three);
    Derivatives found(model, welded), other(model, held);
    const ConstraintStatus status = welded.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out());
    CAPTURE(seed, welded.describe(status));
    REQUIRE(status.ok());
    REQUIRE(held.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, other.out()).ok());
    for (int kind = 0; kind < 3; ++kind) CHECK(apart(found.da[kind], other.da[kind]) <= 1e-7);
  }
}

TEST_CASE("derivatives of robots on the ground: standing, sliding, pushed by a wrench") {
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  for (const char* name : {"quadruped", "humanoid"}) {
    LoadOptions load;
    load.floating = true;
    const Model model = load_urdf(source_folder() + "/robots/" + name + ".urdf", load);
    ConstraintSet set;
    std::vector<char> carries(model.links.size(), 0);
    for (const Link& link : model.links)
      if (link.parent >= 0) carries[static_cast<std::size_t>(link.parent)] = 1;
    for (std::size_t l = 0; l < model.links.size(); ++l)
      if (!carries[l] && model.links[l].body >= 0) {
        Constraint c;
        c.name = model.links[l].name, c.links = {c.name}, c.radius = 0.02, c.friction = {0.8};
        c.points = {{{0.05, 0.02, -0.03}}, {{-0.04, 0.03, -0.02}}};
        set.constraints.push_back(c);
      }
    Judged judged;
    int pressed = 0;
    for (int k = 0; k < 6; ++k) {
      Instant s = instant(model, rng);
      std::vector<double> step(s.v), zero(s.q);
      for (double& x : step) x = 0.2 * normal(rng);
      neutral(model, zero.data());
      integrate(model, zero.data(), step.data(), s.q.data());
      if (k % 2 == 0)
        for (double& v : s.v) v *= 0.01;
      set.parameters.cone = k < 3 ? Cone::elliptic : Cone::pyramidal;
      Workspace<double> ws(model);
      forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
      std::vector<double> heights;
      for (const Constraint& c : set.constraints)
        for (const Vec3<double>& p : c.points) {
          const Pose<double> pose = link_pose(model, ws, model.find_link(c.links[0]));
          heights.push_back((pose.R * p + pose.d)[2] - c.radius);
        }
      std::sort(heights.begin(), heights.end());
      s.q[2] -= heights[heights.size() / 2] + 0.0005;
      std::vector<Force<double>> fx(model.bodies.size(), {{{0.3, -1, 2}}, {{5, 3, -4}}});
      hold_against_differences(model, set, s, judged, fx.data());
      ConstrainedDynamics dynamics(model, set);
      ConstrainedAnswer x(model, dynamics);
      REQUIRE(solve(dynamics, s, x).ok());
      for (double f : x.lambda) pressed += f != 0;
    }
    CAPTURE(name, judged.accelerations, judged.kinks_of_accelerations, judged.forces, judged.kinks_of_forces, pressed);
    CHECK(judged.accelerations > 4 * judged.kinks_of_accelerations);
    CHECK(pressed > 30);
  }
}

TEST_CASE(
    "derivatives of what touches nothing are those of forward dynamics, ∂a/∂τ is symmetric, no heap, what fails is said") {
  std::mt19937 rng(9);
  TreeOptions options;
  options.floating = true;
  const Model model = with_stops(random_tree(8, 4, options), rng);
  Instant s = instant(model, rng);
  ConstraintSet set = touching(model, s, rng, Cone::elliptic);
  ConstrainedDynamics dynamics(model, set);
  Derivatives found(model, dynamics);
  ConstraintStatus status;
  CHECK(allocations_of([&] { status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out()); }) ==
        0);
  REQUIRE(status.ok());
  for (int i = 0; i < model.nv; ++i)
    for (int k = 0; k < i; ++k) {
      const auto n = static_cast<std::size_t>(model.nv);
      const double x = found.da[2][static_cast<std::size_t>(i) * n + static_cast<std::size_t>(k)];
      CHECK(x ==
            Approx(found.da[2][static_cast<std::size_t>(k) * n + static_cast<std::size_t>(i)]).epsilon(1e-9).margin(1e-12));
    }
  for (Constraint& c : set.constraints) c.plane_point = {{0, 0, -1000}}, c.plane_normal = {{0, 0, 1}};
  ConstrainedDynamics alone(model, set);
  REQUIRE(alone.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out()).ok());
  AbaDerivativeWorkspace<double> work(model);
  Derivatives expected(model, alone);
  REQUIRE(aba_derivatives<double>(model, work, s.q.data(), s.v.data(), s.tau.data(), nullptr,
                                  {expected.at.a.data(), expected.da[0].data(), expected.da[1].data(), expected.da[2].data()}));
  for (int kind = 0; kind < 3; ++kind) CHECK(apart(found.da[kind], expected.da[kind]) <= 1e-10);
  for (const auto& matrix : found.dlambda)
    for (double x : matrix) CHECK(x == 0);
  s.tau[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(alone.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out()).state ==
        ConstraintState::not_finite_input);
}
