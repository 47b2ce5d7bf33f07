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
#include "support/heap.hpp"
#include "support/parallelogram.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::test::linkage;

TEST_CASE("near the posture at which a parallelogram is flat its loop is held as well as anywhere") {
  const Model model = parallelogram();
  ConstrainedDynamics dynamics(model, flat_loop());
  ConstrainedAnswer x(model, dynamics);
  for (const double rate : {0.0, 0.7})
    for (const double theta : {1.0, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 4.6e-5, 1e-5, 1e-6, -1e-7, 1e-8}) {
      const Instant s = on_loop<Instant>(theta, rate);
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

TEST_CASE("a linkage that its torques hold stays, nearly flat or not, with gravity and without") {
  for (const bool weightless : {false, true}) {
    Model model = parallelogram();
    if (weightless) model.gravity = zero3<double>();
    ConstrainedDynamics dynamics(model, flat_loop());
    ConstrainedAnswer x(model, dynamics);
    Workspace<double> ws(model);
    for (const double theta : {1.5, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-6}) {
      Instant s = on_loop<Instant>(theta, 0);
      rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, nullptr, s.tau.data());
      const ConstraintStatus status = solve(dynamics, s, x);
      CAPTURE(weightless, theta);
      INFO(dynamics.describe(status));
      REQUIRE(status.ok());
      // φ is rounding of half a metre, which ω² = 2500 draws back
      for (double a : x.a) CHECK(std::abs(a) <= std::max(1e-12, 5e-13 / theta));
    }
  }
}

TEST_CASE("near a flat posture derivatives are those along the linkage's one freedom") {
  const Model model = parallelogram();
  ConstrainedDynamics dynamics(model, flat_loop());
  ConstrainedAnswer x(model, dynamics);
  std::array<double, 9> by_q{}, by_v{}, by_tau{};
  const ConstraintDerivatives out{x.a.data(), x.lambda.data(), x.gap.data(), by_q.data(), by_v.data(), by_tau.data()};
  for (const double theta : {0.4, 1e-3, 1e-5, 1e-6}) {
    const Instant s = on_loop<Instant>(theta, 0.7);
    const double bound = std::max(1e-6, 2e-10 / theta);  // rounding by θ, twice
    CAPTURE(theta);
    ConstraintStatus status;
    CHECK(allocations_of([&] { status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, out); }) == 0);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    const double inertia = reduced(model, s).inertia, h = 1e-5;
    const double slope_q = (reduced(model, on_loop<Instant>(theta + h, 0.7)).acceleration -
                            reduced(model, on_loop<Instant>(theta - h, 0.7)).acceleration) /
                           (2 * h);
    const double slope_v = (reduced(model, on_loop<Instant>(theta, 0.7 + h)).acceleration -
                            reduced(model, on_loop<Instant>(theta, 0.7 - h)).acceleration) /
                           (2 * h);
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
    Instant s = on_loop<Instant>(theta, 0);
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
    const ConstraintStatus status = solve(dynamics, on_loop<Instant>(theta, 0.7), x);
    CHECK(status.state == ConstraintState::rank_lost);
    CHECK(dynamics.describe(status) == "the loops lose rank at this state: nothing determines lambda.rod.x");
  }
  CHECK(solve(dynamics, on_loop<Instant>(0.2, 0.7), x).ok());
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
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> bar = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const Model arm = ModelBuilder("arm")
                        .root("ground", zero_inertia<double>(), false)
                        .link("upper", bar, "ground", "a", hinge, identity_pose<double>())
                        .link("lower", bar, "upper", "b", hinge, {identity3<double>(), {{0.4, 0, 0}}})
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
