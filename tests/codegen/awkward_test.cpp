// Programs of robots at which formulas lose digits: axes nearly parallel, masses and lengths over many decades.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "codegen/minimal/minimal_dynamics.hpp"
#include "codegen/minimal/minimal_elimination.hpp"
#include "codegen/vector/superword_program.hpp"
#include "compiled.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "support/program_accuracy.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

AwkwardOptions minimal_kinds() {
  AwkwardOptions options;
  options.kinds = {JointKind::revolute, JointKind::continuous, JointKind::prismatic, JointKind::universal, JointKind::fixed};
  return options;
}

JointSpec hinge(const Vec3<double>& axis) { return {JointKind::revolute, axis, 0, {}, {}}; }
Pose<double> at(double x, double y, double z) { return {identity3<double>(), {{x, y, z}}}; }
/// A ball.
Inertia<double> ball(double mass, const Vec3<double>& com, double about_com) {
  return inertia_about_com(mass, com, {about_com, 0, 0, about_com, 0, about_com});
}

/// The worst error at a few states; those of an algorithm that finds no answer do not count.
void check(const AwkwardRobot& robot, const std::string& algorithm, double times, int states) {
  const Program program = algorithm_program(robot.model, algorithm);
  for (int s = 0; s < states; ++s) {
    const Accuracy a = accuracy(robot.model, algorithm, program, awkward_state(robot, static_cast<unsigned>(s)));
    if (a.singular) continue;
    INFO(algorithm << ", state " << s << ": floor " << a.floor() << ", constants " << a.constants);
    CHECK(a.program <= times * a.floor());
  }
}

/// Hinges about x and y in turn, each `length` after the one before, the first far from the world's origin.
Model chain_at(double distance, double length) {
  ModelBuilder builder("chain");
  builder.root("link0", zero_inertia<double>(), false);
  for (int i = 1; i <= 5; ++i) {
    const std::string number = std::to_string(i);
    const Vec3<double> axis = i % 2 ? Vec3<double>{{1, 0.1, 0.2}} : Vec3<double>{{0.3, 1, 0}};
    const Inertia<double> inertia = ball(1, {{0.1 * length, 0.3 * length, -0.2 * length}}, 0.01 * length * length);
    builder.link("link" + number, inertia, "link" + std::to_string(i - 1), "joint" + number, hinge(axis),
                 i == 1 ? at(distance, -distance, distance) : at(length, 0.2 * length, 0));
  }
  return builder.build();
}

/// A hinge, and a tip of so little inertia on another, across or nearly along.
Model light_tip(double mass, double size) {
  ModelBuilder builder("light tip");
  builder.root("base", zero_inertia<double>(), false);
  builder.link("arm", ball(3, {{0.2, 0.1, 0.3}}, 0.02), "base", "shoulder", hinge({{0, 0, 1}}), at(0, 0, 0));
  builder.link("tip", ball(mass, {{size, 0.4 * size, 0}}, mass * size * size), "arm", "wrist", hinge({{0, 0.6, 0.8}}),
               at(0.5, 0.1, 0.2));
  return builder.build();
}

/// Two legs on a floating body, the second heavier by a share.
Model two_legs(double heavier) {
  ModelBuilder builder("two legs");
  builder.root("body", ball(10, {{0, 0, 0.1}}, 1), true);
  for (const auto& [side, y] : {std::pair("left", 0.2), std::pair("right", -0.2)}) {
    const std::string name = side;
    const double times = y > 0 ? 1 : 1 + heavier;
    builder.link("thigh" + name, ball(2 * times, {{0.02, 0.01, -0.15}}, 0.02), "body", "hip" + name, hinge({{0, 1, 0}}),
                 at(0, y, -0.1));
    builder.link("shank" + name, ball(times, {{0, 0, -0.2}}, 0.01), "thigh" + name, "knee" + name, hinge({{0.1, 1, 0}}),
                 at(0, 0, -0.4));
  }
  return builder.build();
}

AwkwardState state_of(const Model& model) {
  AwkwardState s;
  for (int k = 0; k < model.nq; ++k) s.q.push_back(std::sin(1.0 + k));
  if (model.floating()) s.q[3] = 0.6, s.q[4] = 0, s.q[5] = 0.8, s.q[6] = 0;
  for (int k = 0; k < model.nv; ++k)
    s.v.push_back(std::cos(2.0 * k)), s.a.push_back(std::sin(3.0 * k + 1)), s.tau.push_back(std::cos(0.5 + k));
  return s;
}

}  // namespace

TEST_CASE("programs of awkward robots are about as exact as the algorithms they are made from") {
  // each was off by 1e-9 to 1 in some result, or had no program, while tolerances were a robot's and not a number's
  for (unsigned seed : {2u, 4u, 8u, 17u, 19u, 22u, 37u, 60u, 173u}) {
    INFO("robot " << seed);
    const AwkwardRobot robot = awkward_robot(seed, minimal_kinds());
    for (const std::string& algorithm : judged_algorithms()) check(robot, algorithm, 100, 4);
  }
}

TEST_CASE("an offset below a picometre is not dropped") {
  AwkwardRobot robot{};
  ModelBuilder builder("tiny offset");
  builder.root("base", zero_inertia<double>(), false);
  builder.link("arm", ball(3, {{0.2, 0.1, 0.3}}, 0.02), "base", "shoulder", hinge({{0, 0, 1}}), at(0, 0, 0));
  builder.link("hand", ball(1, {{0.1, 0.2, 0.3}}, 0.01), "arm", "wrist", hinge({{0, 1, 0}}), at(3e-13, 0, 0.4));
  robot.model = builder.build();
  for (double unit : length_units(robot.model)) CHECK(unit > 1e-6);
  const AwkwardState s = state_of(robot.model);
  for (const std::string& algorithm : judged_algorithms()) {
    const Accuracy a = accuracy(robot.model, algorithm, algorithm_program(robot.model, algorithm), s);
    CHECK(a.program < 1e-14);
  }
}

TEST_CASE("the torque of a light tip's own joint has all its digits") {
  for (const auto& [mass, size] : {std::pair(1e-3, 1e-6), {1e-9, 1e-3}, {1e-12, 1e-6}, {1e-6, 1e-7}}) {
    const Model model = light_tip(mass, size);
    const AwkwardState s = state_of(model);
    INFO(mass << " kg, " << size << " m");
    for (const char* algorithm : {"aba", "minverse", "aba-derivatives"})
      CHECK(accuracy(model, algorithm, algorithm_program(model, algorithm), s).program < 1e-13);
  }
}

TEST_CASE("the accuracy of a program does not depend on the distance of the robot from the world's origin") {
  for (double length : {1.0, 1e-6}) {
    const MinimalTree near = minimal_tree(chain_at(0, length)), far = minimal_tree(chain_at(1e6, length));
    for (std::size_t i = 1; i < near.bodies.size(); ++i) {
      const MinimalBody &a = near.bodies[i], &b = far.bodies[i];
      for (int k = 0; k < 3; ++k) {
        CHECK(a.shift[k] == b.shift[k]);
        CHECK(a.inertia.h[k] == b.inertia.h[k]);
      }
      CHECK(a.offset == b.offset);
      CHECK(a.inertia.moments.xx == b.inertia.moments.xx);
    }
  }
}

TEST_CASE("constant rotations in programs are orthonormal") {
  for (int quarter = -4; quarter <= 4; ++quarter)
    for (int k = 1; k <= 17; ++k)
      for (double sign : {-1.0, 1.0}) {
        const double angle = quarter * std::acos(0.0) + sign * std::pow(10.0, -k);
        const Turn<double> t = constant_turn(angle);
        INFO(angle);
        CHECK(std::fabs(t.c * t.c + t.s * t.s - 1) < 4.5e-16);
        CHECK(std::fabs(t.c - std::cos(angle)) < 1e-14);
        CHECK(std::fabs(t.s - std::sin(angle)) < 1e-14);
      }
}

TEST_CASE("legs that are almost equal keep their own numbers in lanes") {
  constexpr std::size_t n = 3;
  for (double heavier : {0.0, 5e-15, 1e-13, 1e-9, 1e-7, 1e-3}) {
    INFO(heavier);
    const Model model = two_legs(heavier);
    const VectorisedProgram vectorised = vectorised_program(model, "rnea");
    const Program& program = vectorised.program;
    const AwkwardState s = state_of(model);
    CHECK(accuracy(model, "rnea", program, s).program < 1e-14);
    std::vector<double> single(static_cast<std::size_t>(model.nv)), several(single.size() * n);
    std::vector<double> q, v, a;
    for (const auto& [one, all] : {std::pair(&s.q, &q), {&s.v, &v}, {&s.a, &a}})
      for (double x : *one) all->insert(all->end(), n, x);
    const double *one[] = {s.q.data(), s.v.data(), s.a.data()}, *all[] = {q.data(), v.data(), a.data()};
    double *result[] = {single.data()}, *results[] = {several.data()};
    std::vector<double> work(program.nodes().size());
    REQUIRE(program.evaluate(one, result, work.data()));
    const CompiledProgram code(emit_c(vectorised, "f"), "f");
    code.batch(all, results, static_cast<long>(n));
    double size = 0;
    for (double x : single) size = std::max(size, std::fabs(x));
    std::vector<double> called(single.size());
    double* call[] = {called.data()};
    REQUIRE(code.call(one, call) == 0);
    for (std::size_t k = 0; k < single.size(); ++k) {
      CHECK(std::fabs(called[k] - single[k]) < 2e-14 * size);
      for (std::size_t i = 0; i < n; ++i) CHECK(std::fabs(several[k * n + i] - single[k]) < 2e-14 * size);
    }
  }
}
