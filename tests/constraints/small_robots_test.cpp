// A linkage of millimetres and micrograms beside the same one of metres and kilograms: what is closed, what moves, what is
// lost.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "constrained_states.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "support/parallelogram.hpp"
#include "support/scaled_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::test::linkage;

namespace {

constexpr double length = 1e-3, mass = 1e-9, torque = mass * length * length;

Model small(const Model& model) { return in_masses(in_lengths(model, length), mass); }

ConstraintSet small(ConstraintSet set) {
  for (Constraint& c : set.constraints)
    for (Pose<double>& frame : c.frames) frame.d = length * frame.d;
  return set;
}

}  // namespace

TEST_CASE("a linkage of millimetres moves as one of metres does") {
  const Model model = parallelogram(), tiny = small(model);
  ConstrainedDynamics dynamics(model, flat_loop()), of_tiny(tiny, small(flat_loop()));
  ConstrainedAnswer x(model, dynamics), y(tiny, of_tiny);
  for (const double rate : {0.0, 0.7})
    for (const double theta : {1.0, 0.1, 1e-2, 1e-3}) {
      Instant s = on_loop<Instant>(theta, rate);
      REQUIRE(solve(dynamics, s, x).ok());
      for (double& each : s.tau) each *= torque;
      const ConstraintStatus status = solve(of_tiny, s, y);
      CAPTURE(theta, rate);
      INFO(of_tiny.describe(status));
      REQUIRE(status.ok());
      const double size = std::abs(x.a[0]), force = std::abs(x.lambda[0]) + std::abs(x.lambda[2]);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(std::abs(y.a[i] - x.a[i]) <= 1e-12 / theta * size);
        CHECK(std::abs(y.lambda[i] / (mass * length) - x.lambda[i]) <= 1e-12 / theta * force);
      }
    }
}

TEST_CASE("a linkage of millimetres is closed, or is not, as one of metres") {
  const Model model = parallelogram(), tiny = small(model);
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  // beyond its pin by a millionth of its size, and by nothing
  for (const double beyond : {0.0, 1e-6}) {
    ConstraintSet set = flat_loop();
    set.constraints[0].frames[1].d = {{crank, beyond, 0}};  // out of its plane
    LoopProjection loops(model, set), of_tiny(tiny, small(set));
    for (int k = 0; k < 20; ++k) {
      const double theta = 0.7 + 0.3 * uniform(rng);
      std::vector<double> q{theta + 0.1 * uniform(rng), -theta, theta}, v{uniform(rng), uniform(rng), uniform(rng)}, p(q), w(v);
      const ProjectionStatus one = loops.project(q.data(), v.data()), other = of_tiny.project(p.data(), w.data());
      CAPTURE(beyond, k);
      CHECK(one.ok() == (beyond == 0));
      CHECK(other.state == one.state);
      CHECK(std::abs(other.gap - length * one.gap) <= 1e-12 * length);
      for (std::size_t i = 0; i < 3 && one.ok(); ++i) {  // steps are least to the rounding that a slope of 1e6 leaves
        CHECK(std::abs(p[i] - q[i]) <= 1e-8);
        CHECK(std::abs(w[i] - v[i]) <= 1e-8);
      }
    }
  }
}
