// Generated dynamics under hard loops near postures at which they lose rank: a parallelogram that is nearly flat beside its one
// equation of motion, straight and turned, with derivatives, with contacts beside, and where rank is lost.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "support/contact_robots.hpp"
#include "support/parallelogram.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::test::linkage;

namespace {

/// What generated code gives; derivatives by q, v, τ where the code has them.
struct GeneratedAnswer {
  std::vector<double> a = std::vector<double>(3), lambda = std::vector<double>(20), gap = lambda,
                      next = std::vector<double>(100), solver = std::vector<double>(3);
  std::array<std::vector<double>, 6> slopes;

  int call(const CompiledProgram& f, const ContactState& s, bool with_slopes = false) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), nullptr};
    double* res[11] = {a.data(), lambda.data(), gap.data(), next.data(), solver.data()};
    for (std::size_t k = 0; k < 6 && with_slopes; ++k) slopes[k].assign(k < 3 ? 9 : 60, -7), res[5 + k] = slopes[k].data();
    return f.call(arg, res);
  }
};

CompiledProgram generated_loops(const Model& model, const ConstraintSet& set, bool slopes = false) {
  ContactCodeOptions options;
  options.derivatives = slopes;
  return CompiledProgram(contact_dynamics_code(model, set, "f", options).files, "f", strictly("gcc", "-O1"));
}

}  // namespace

TEST_CASE("generated code holds a parallelogram as well near its flat posture as anywhere") {
  if (missing("gcc")) return;
  const Model model = parallelogram();
  for (const bool slopes : {false, true}) {
    const CompiledProgram f = generated_loops(model, flat_loop(), slopes);
    GeneratedAnswer x;
    for (const double rate : {0.0, 0.7})
      for (const double theta : {1.0, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 4.6e-5, 1e-5, 1e-6, -1e-7, 1e-8}) {
        const ContactState s = on_loop<ContactState>(theta, rate);
        CAPTURE(theta, rate, slopes);
        REQUIRE(x.call(f, s) == 0);
        const Reduced exact = reduced(model, s);
        const double bound = std::max(1e-10, rate == 0 ? 0 : 1e-16 / std::abs(theta));  // J̇ v beside J: rounding by θ
        for (std::size_t i = 0; i < 3; ++i)
          CHECK(std::abs(x.a[i] - B[i] * exact.acceleration) <= bound * std::abs(exact.acceleration));
        const std::array<double, 3> held = put_back(theta, x.lambda);
        for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(held[i] - exact.missing[i]) <= 10 * bound);
        CHECK(std::abs(x.lambda[1]) <= 1e-10 * std::abs(x.lambda[2]));
      }
  }
}

TEST_CASE("generated code holds a turned parallelogram: its rows are mixed with rounding") {
  if (missing("gcc")) return;
  const double angle = 0.7;
  const Mat3<double> R{{std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1}};
  const Model model = parallelogram(false, {R, {{0.1, 0.2, -0.3}}});
  const CompiledProgram f = generated_loops(model, flat_loop());
  GeneratedAnswer x;
  for (const double theta : {0.4, 0.01, 1e-4, 1e-6}) {
    CAPTURE(theta);
    const ContactState s = on_loop<ContactState>(theta, 0.7);
    REQUIRE(x.call(f, s) == 0);
    const Reduced exact = reduced(model, s);
    // the error φ of the loop, rounding of half a metre, is drawn back by ω² = 2500: that by θ
    const double bound = std::max(1e-10, 1e-12 / theta);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(std::abs(x.a[i] - B[i] * exact.acceleration) <= bound * std::abs(exact.acceleration));
  }
}

TEST_CASE("generated derivatives near a flat posture are those along the linkage's one freedom") {
  if (missing("gcc")) return;
  const Model model = parallelogram();
  const CompiledProgram f = generated_loops(model, flat_loop(), true);
  GeneratedAnswer x;
  for (const double theta : {0.4, 1e-3, 1e-5, 1e-6}) {
    const ContactState s = on_loop<ContactState>(theta, 0.7);
    const double bound = std::max(1e-6, 2e-10 / theta);  // rounding by θ, twice
    CAPTURE(theta);
    REQUIRE(x.call(f, s, true) == 0);
    const double inertia = reduced(model, s).inertia, h = 1e-5;
    const auto acceleration = [&](double t, double rate) {
      return reduced(model, on_loop<ContactState>(t, rate)).acceleration;
    };
    const double slope_q = (acceleration(theta + h, 0.7) - acceleration(theta - h, 0.7)) / (2 * h);
    const double slope_v = (acceleration(theta, 0.7 + h) - acceleration(theta, 0.7 - h)) / (2 * h);
    for (std::size_t i = 0; i < 3; ++i) {
      double along_q = 0, along_v = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        along_q += x.slopes[0][3 * i + k] * B[k], along_v += x.slopes[1][3 * i + k] * B[k];
        CHECK(std::abs(x.slopes[2][3 * i + k] - B[i] * B[k] / inertia) <= 1e-8 / inertia);
      }
      CHECK(std::abs(along_q - B[i] * slope_q) <= bound * std::max(1.0, std::abs(slope_q)));
      CHECK(std::abs(along_v - B[i] * slope_v) <= bound * std::max(1.0, std::abs(slope_v)));
    }
  }
}

TEST_CASE("generated code: soft constraints, contacts and couplings beside a nearly flat loop are those of the library") {
  if (missing("gcc")) return;
  const Model model = parallelogram();
  ConstraintSet set = flat_loop();
  Constraint rub, ground;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.joints = {"a"}, rub.loss = 0.5;
  ground.name = "touch", ground.links = {"rocker"}, ground.points = {{{0.2, 0, 0}}}, ground.radius = 0.05;
  ground.friction = {0.6}, ground.plane_point = {{0, 0, -0.04}};
  set.constraints.insert(set.constraints.end(), {rub, ground});
  const CompiledProgram f = generated_loops(model, set), g = generated_loops(model, set, true);
  ConstrainedDynamics dynamics(model, set);
  GeneratedAnswer x, y;
  std::vector<double> a(3), lambda(20), gap(20);
  int pressed = 0;
  for (const double theta : {0.5, 1e-2, 1e-3, 1e-4, 1e-6})
    for (const double push : {9.0, -9.0, 0.1}) {
      ContactState s = on_loop<ContactState>(theta, 0);
      s.tau = {push, 0, 0};
      CAPTURE(theta, push);
      REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), gap.data()).ok());
      REQUIRE(x.call(f, s) == 0);
      CHECK(relative_difference(x.a, a) <= 1e-9);
      pressed += std::count_if(lambda.begin(), lambda.end(), [](double l) { return l != 0; }) > 3;
      for (std::size_t k = 0; k < dynamics.force_columns().size(); ++k)
        CHECK(std::abs(x.lambda[k] - lambda[k]) <= 1e-9 * std::max(1.0, std::abs(lambda[k])));
      std::array<std::vector<double>, 3> by{std::vector<double>(9), std::vector<double>(9), std::vector<double>(9)};
      const ConstraintDerivatives out{a.data(), lambda.data(), gap.data(), by[0].data(), by[1].data(), by[2].data()};
      REQUIRE(dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, out).ok());
      REQUIRE(y.call(g, s, true) == 0);
      for (std::size_t k = 0; k < 3; ++k) CHECK(relative_difference(y.slopes[k], by[k]) <= std::max(1e-8, 1e-13 / theta));
    }
  CHECK(pressed > 0);
}

TEST_CASE("generated code says that a flat loop has lost rank, and whose") {
  if (missing("gcc")) return;
  const Model model = parallelogram();
  ConstraintSet set = flat_loop();
  Constraint rub;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.joints = {"a"}, rub.loss = 0.5;
  set.constraints.insert(set.constraints.begin(), rub);
  const CompiledProgram f = generated_loops(model, set);
  GeneratedAnswer x;
  for (const double theta : {0.0, 3.14159265358979312}) {
    x.solver = {-7, -7, -7};
    CHECK(x.call(f, on_loop<ContactState>(theta, 0.7)) == 3);
    CHECK((x.solver[0] == 0 && x.solver[1] == 0 && x.solver[2] == 1));
  }
  CHECK(x.call(f, on_loop<ContactState>(0.2, 0.7)) == 0);
}

TEST_CASE("generated code holds three parallel cranks, flat but for 1e-5 rad, with half of their rows redundant") {
  if (missing("gcc")) return;
  const Model model = parallelogram(true);
  ConstraintSet set = flat_loop();
  set.constraints.push_back(pin("half", coupler / 2, "middle"));
  const CompiledProgram f = generated_loops(model, set);
  ConstrainedDynamics dynamics(model, set);
  GeneratedAnswer x;
  x.a.resize(4);
  std::vector<double> a(4), lambda(20), gap(20);
  for (const double theta : {0.5, 1e-2, 1e-3, 1e-5}) {
    const ContactState s{{theta, -theta, theta, theta}, {0.7, -0.7, 0.7, 0.7}, {0.3, -0.2, 0.1, 0.4}};
    CAPTURE(theta);
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), gap.data()).ok());
    REQUIRE(x.call(f, s) == 0);
    CHECK(relative_difference(x.a, a) <= std::max(1e-10, 1e-14 / theta));
  }
}
