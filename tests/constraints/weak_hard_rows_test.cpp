// Hard loops near postures at which they lose rank: a parallelogram that is nearly flat, beside its one equation of motion,
// Bᵀ M B θ̈ = Bᵀ (τ − bias) with q = B θ, B = (1, −1, 1); and rows that follow from others wherever the loops are closed.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "constrained_states.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr std::array<double, 3> B{1, -1, 1};
constexpr double crank = 0.3, coupler = 0.5;
const Inertia<double> bar = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});

JointSpec hinge() {
  JointSpec spec;
  spec.kind = JointKind::revolute, spec.axis = {{0, 1, 0}};
  return spec;
}

Pose<double> at(double x) { return {identity3<double>(), {{x, 0, 0}}}; }

/// Cranks of 0.3 m, 0.5 m apart, a coupler of 0.5 m: a parallelogram at q = B θ. With `third` another crank half-way.
Model parallelogram(bool third = false) {
  ModelBuilder builder("parallelogram");
  builder.root("ground", zero_inertia<double>(), false)
      .link("crank", bar, "ground", "a", hinge(), at(0))
      .link("coupler", bar, "crank", "b", hinge(), at(crank))
      .link("rocker", bar, "ground", "c", hinge(), at(coupler));
  if (third) builder.link("middle", bar, "ground", "d", hinge(), at(coupler / 2));
  return builder.build();
}

Constraint pin(const std::string& name, double on_coupler, const std::string& other) {
  Constraint loop;
  loop.name = name, loop.type = ConstraintType::connect, loop.links = {"coupler", other}, loop.hard = true;
  loop.frames[0].d = {{on_coupler, 0, 0}}, loop.frames[1].d = {{crank, 0, 0}};
  return loop;
}

ConstraintSet flat_loop() {
  ConstraintSet set;
  set.constraints = {pin("rod", coupler, "rocker")};
  return set;
}

Instant on_loop(double theta, double rate) {
  Instant s{std::vector<double>(3), std::vector<double>(3), {0.3, -0.2, 0.1}};
  for (std::size_t i = 0; i < 3; ++i) s.q[i] = B[i] * theta, s.v[i] = B[i] * rate;
  return s;
}

/// θ̈, and what the joints miss: M a − (τ − bias).
struct Reduced {
  double acceleration = 0, inertia = 0;
  std::array<double, 3> missing{};
};

Reduced reduced(const Model& model, const Instant& s) {
  Workspace<double> ws(model);
  std::array<double, 9> M{};
  std::array<double, 3> bias{};
  crba(model, ws, s.q.data(), M.data());
  rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, nullptr, bias.data());
  Reduced r;
  double push = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    push += B[i] * (s.tau[i] - bias[i]);
    for (std::size_t k = 0; k < 3; ++k) r.inertia += B[i] * M[3 * i + k] * B[k];
  }
  r.acceleration = push / r.inertia;
  for (std::size_t i = 0; i < 3; ++i) {
    r.missing[i] = bias[i] - s.tau[i];
    for (std::size_t k = 0; k < 3; ++k) r.missing[i] += M[3 * i + k] * B[k] * r.acceleration;
  }
  return r;
}

/// Jᵀ λ of the loop at q = B θ, x and z of the coupler's end less the rocker's.
std::array<double, 3> put_back(double theta, const std::vector<double>& lambda) {
  const double s = crank * std::sin(theta), c = crank * std::cos(theta);
  return {-s * lambda[0] - (c + coupler) * lambda[2], -coupler * lambda[2], s * lambda[0] + c * lambda[2]};
}

}  // namespace

TEST_CASE("near the posture at which a parallelogram is flat its loop is held as well as anywhere") {
  const Model model = parallelogram();
  ConstrainedDynamics dynamics(model, flat_loop());
  ConstrainedAnswer x(model, dynamics);
  for (const double rate : {0.0, 0.7})
    for (const double theta : {1.0, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 4.6e-5, 1e-5, 1e-6, -1e-7, 1e-8}) {
      const Instant s = on_loop(theta, rate);
      CAPTURE(theta, rate);
      ConstraintStatus status;
      CHECK(allocations_of([&] { status = solve(dynamics, s, x); }) == 0);
      INFO(dynamics.describe(status));
      REQUIRE(status.ok());
      const Reduced exact = reduced(model, s);
      // velocities leave the digits that J̇ v has beside J: rounding by θ
      const double bound = std::max(1e-10, rate == 0 ? 0 : 1e-16 / std::abs(theta));
      for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(x.a[i] - B[i] * exact.acceleration) <= bound * exact.acceleration);
      const std::array<double, 3> held = put_back(theta, x.lambda);
      for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(held[i] - exact.missing[i]) <= 10 * bound);
      CHECK(std::abs(x.lambda[1]) <= 1e-10 * std::abs(x.lambda[2]));
    }
}

TEST_CASE("near a flat posture derivatives are those along the linkage's one freedom") {
  const Model model = parallelogram();
  ConstrainedDynamics dynamics(model, flat_loop());
  ConstrainedAnswer x(model, dynamics);
  std::array<double, 9> by_q{}, by_v{}, by_tau{};
  const ConstraintDerivatives out{x.a.data(), x.lambda.data(), x.gap.data(), by_q.data(), by_v.data(), by_tau.data()};
  for (const double theta : {0.4, 1e-3, 1e-5, 1e-6}) {
    const Instant s = on_loop(theta, 0.7);
    const double bound = std::max(1e-6, 2e-10 / theta);  // rounding by θ, twice
    CAPTURE(theta);
    ConstraintStatus status;
    CHECK(allocations_of([&] { status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, out); }) == 0);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    const double inertia = reduced(model, s).inertia, h = 1e-5;
    const double slope_q =
        (reduced(model, on_loop(theta + h, 0.7)).acceleration - reduced(model, on_loop(theta - h, 0.7)).acceleration) / (2 * h);
    const double slope_v =
        (reduced(model, on_loop(theta, 0.7 + h)).acceleration - reduced(model, on_loop(theta, 0.7 - h)).acceleration) / (2 * h);
    for (std::size_t i = 0; i < 3; ++i) {
      double along_q = 0, along_v = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        along_q += by_q[3 * i + k] * B[k], along_v += by_v[3 * i + k] * B[k];
        CHECK(std::abs(by_tau[3 * i + k] - B[i] * B[k] / inertia) <= 1e-8 / inertia);
      }
      CHECK(std::abs(along_q - B[i] * slope_q) <= bound * std::max(1.0, std::abs(slope_q)));
      CHECK(std::abs(along_v - B[i] * slope_v) <= bound * std::max(1.0, std::abs(slope_v)));
    }
  }
}

TEST_CASE("soft constraints beside a nearly flat loop are those of the reduced robot") {
  const Model model = parallelogram();
  ConstraintSet both = flat_loop(), soft;
  Constraint rub;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.joints = {"a"}, rub.loss = 0.5;
  both.constraints.push_back(rub);
  ConstrainedDynamics dynamics(model, both);
  ConstrainedAnswer x(model, dynamics);
  for (const double theta : {0.5, 1e-4, 1e-6}) {
    // beyond its bound friction is a torque of that size; the loop then moves as without it, pushed less
    Instant s = on_loop(theta, 0);
    s.tau = {9, 0, 0};
    const ConstraintStatus status = solve(dynamics, s, x);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    CHECK(std::abs(std::abs(x.lambda[3]) - 0.5) < 1e-12);
    s.tau[0] += x.lambda[3];
    const Reduced exact = reduced(model, s);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(std::abs(x.a[i] - B[i] * exact.acceleration) <= 1e-9 * std::abs(exact.acceleration));
  }
}

TEST_CASE("a flat loop has lost rank, and the row without effect is named") {
  const Model model = parallelogram();
  ConstrainedDynamics dynamics(model, flat_loop());
  ConstrainedAnswer x(model, dynamics);
  for (const double theta : {0.0, 3.14159265358979312}) {
    const ConstraintStatus status = solve(dynamics, on_loop(theta, 0.7), x);
    CHECK(status.state == ConstraintState::rank_lost);
    CHECK(dynamics.describe(status) == "the loops lose rank at this state: nothing determines lambda.rod.x");
  }
  CHECK(solve(dynamics, on_loop(0.2, 0.7), x).ok());
}

TEST_CASE("velocities are put back onto a nearly flat loop") {
  const Model model = parallelogram();
  LoopProjection loops(model, flat_loop());
  for (const double theta : {0.5, 1e-3, 1e-5, 1e-6}) {
    std::vector<double> q{theta, -theta, theta}, v{1, 0.5, -2};
    const ProjectionStatus status = loops.project(q.data(), v.data());
    CAPTURE(theta, q[0], q[1], q[2], v[0], v[1], v[2]);
    REQUIRE(status.ok());
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(v[i] - B[i] * v[0]) <= 1e-9 / std::min(1.0, theta * 1e5));
    CHECK(std::abs(v[0]) > 0.1);
  }
}

TEST_CASE("rows that follow from others wherever the loops are closed are redundant, though not elsewhere") {
  const Model model = parallelogram(true);
  ConstraintSet set = flat_loop();
  set.constraints.push_back(pin("half", coupler / 2, "middle"));
  const HardRows found = hard_rows(model, set);
  CHECK(found.rows == 6);
  CHECK(found.rank == 3);
  CHECK(found.freedoms == 1);
  CHECK(found.redundant.size() == 3);
  CHECK(std::count(found.redundant.begin(), found.redundant.end(), "rod.y") == 1);
  CHECK(std::count(found.redundant.begin(), found.redundant.end(), "half.y") == 1);
}

TEST_CASE("loops that close at a singular posture alone are told from as they are where they are open") {
  // an arm that just reaches its pin: there its rows see one direction, and yet it cannot move
  const Model arm = ModelBuilder("arm")
                        .root("ground", zero_inertia<double>(), false)
                        .link("upper", bar, "ground", "a", hinge(), at(0))
                        .link("lower", bar, "upper", "b", hinge(), at(0.4))
                        .build();
  Constraint reach;
  reach.name = "reach", reach.type = ConstraintType::connect, reach.links = {"lower", "world"}, reach.hard = true;
  reach.frames[0].d = {{0.4, 0, 0}}, reach.frames[1].d = {{0.8, 0, 0}};
  ConstraintSet set;
  set.constraints = {reach};
  const HardRows found = hard_rows(arm, set);
  CHECK((found.rank == 2 && found.freedoms == 0));
  CHECK(found.redundant == std::vector<std::string>{"reach.y"});
}
