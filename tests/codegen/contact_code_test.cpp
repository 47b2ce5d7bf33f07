// Generated contact dynamics beside ConstrainedDynamics, which is held against MuJoCo: all cones and frictions, open, sticking
// and sliding contacts, stops, dry friction; cold and warm; batches; what is refused and what has no answer.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

struct GeneratedAnswer {
  explicit GeneratedAnswer(const ConstrainedDynamics& d, int nv)
      : a(static_cast<std::size_t>(nv)), lambda(d.force_columns().size()), gap(d.gap_columns().size()), next(1000), solver(3) {}
  std::vector<double> a, lambda, gap, next, solver;
  int call(const CompiledProgram& f, const ContactState& s, const double* start) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), start};
    double* res[] = {a.data(), lambda.data(), gap.data(), next.data(), solver.data()};
    return f.call(arg, res);
  }
};

/// flags: the compiler's; -O1 finds more to warn of, -O0 is quick.
Seen hold_against_reference(const Model& model, const ConstraintSet& set, int states, unsigned seed,
                            const std::string& compiler = quick_compiler(), const std::string& flags = "-O0") {
  const ContactCode code = contact_dynamics_code(model, set, "f");
  const CompiledProgram f(code.files, "f", strictly(compiler, flags));
  ConstrainedDynamics reference(model, set);
  GeneratedAnswer cold(reference, model.nv), warm(reference, model.nv), expected(reference, model.nv);
  std::mt19937 rng(seed);
  Seen seen;
  for (int k = 0; k < states; ++k) {
    ContactState s = touching_state(model, set, rng);
    CAPTURE(model.name, seed, k);
    const ConstraintStatus status = reference.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.a.data(),
                                                      expected.lambda.data(), expected.gap.data());
    REQUIRE(status.ok());
    REQUIRE(cold.call(f, s, nullptr) == 0);
    CHECK(relative_difference(cold.a, expected.a) <= 1e-9);
    CHECK(relative_difference(cold.lambda, expected.lambda) <= 1e-9);
    CHECK(relative_difference(cold.gap, expected.gap) <= 1e-12);
    count_kinds(set, cold.lambda, cold.gap, seen);
    for (double& x : s.tau) x *= 1.01;
    REQUIRE(reference
                .forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.a.data(), expected.lambda.data(),
                         expected.gap.data())
                .ok());
    REQUIRE(warm.call(f, s, cold.next.data()) == 0);
    CHECK(relative_difference(warm.a, expected.a) <= 1e-9);
    CHECK(relative_difference(warm.lambda, expected.lambda) <= 1e-9);
  }
  return seen;
}

}  // namespace

TEST_CASE("generated contact dynamics give the reference's accelerations and forces: all cones and frictions") {
  if (missing("gcc")) return;
  const Model model = shipped_model("quadruped", true);
  for (const Cone cone : {Cone::elliptic, Cone::pyramidal})
    for (const double impratio : {1.0, 5.0}) {
      ConstraintSet set = spheres_on_leaves(model, impratio == 1 ? std::vector<std::vector<double>>{{0.8}} : all_frictions);
      set.parameters.cone = cone, set.parameters.impratio = impratio;
      if (impratio != 1) add_stops_and_friction(set);
      const Seen seen = hold_against_reference(model, set, 40, 3, "gcc", impratio == 1 ? "-O1" : "-O0");
      CAPTURE(seen.open, seen.sticking, seen.sliding);
      CHECK(seen.open > 0);
      if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
    }
}

TEST_CASE("generated contact dynamics on other robots: fixed bases, sloping planes, every joint") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const ContactRobot robot = robot_on_a_slope(seed);
    hold_against_reference(robot.model, robot.set, 30, seed);
  }
}

TEST_CASE("generated contact dynamics where joints follow others, wherever these are") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const ContactRobot robot = robot_with_followers(seed);
    hold_against_reference(robot.model, robot.set, 30, seed);
  }
}

TEST_CASE("generated contact dynamics where few rows act and joints follow others") {
  if (missing(quick_compiler())) return;
  int tried = 0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    ContactRobot robot = robot_with_followers(seed);
    for (const Joint& joint : robot.model.tree().joints) {
      if (joint.nv != 1 || tried >= 4 * static_cast<int>(seed + 1)) continue;
      Constraint rub;
      rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.joints = {joint.name}, rub.loss = 0.4;
      robot.set.constraints = {rub};
      CAPTURE(seed, joint.name);
      hold_against_reference(robot.model, robot.set, 3, seed);
      ++tried;
    }
  }
  CHECK(tried == 15);  // some seeds have fewer such joints than four
}

TEST_CASE("generated contact dynamics of whole robots with joints that follow: a humanoid, NAO and Panda") {
  if (missing(quick_compiler())) return;
  for (const std::string& path : all_robots()) {
    if (!is_one_of(path, {"humanoid.", "nao", "panda"})) continue;
    LoadOptions load;
    load.floating = !is_one_of(path, {"panda"}), load.mimic = true;
    Model model = load_urdf(path, load);
    if (is_one_of(path, {"humanoid."}))
      model = coupled(model, {{"r_knee", "l_knee", -0.5, 0.1}, {"r_elbow", "l_elbow", 1.0, 0}});
    REQUIRE(model.coordinate_map);
    ConstraintSet set = spheres_on_leaves(model, {{0.8}});
    if (!load.floating)
      for (Constraint& c : set.constraints) c.plane_point = {{0, 0, 0.5}};
    add_stops_and_friction(set), add_follower(model, set);
    hold_against_reference(model, set, 40, 1);
  }
}

TEST_CASE("generated contact dynamics of whole robots on flat ground") {
  if (missing(quick_compiler())) return;
  for (const ContactRobot& robot : standing_robots({"humanoid.", "hyq", "simple_humanoid", "atlas"}))
    hold_against_reference(robot.model, robot.set, 60, 1);
}

TEST_CASE("generated contact dynamics: batches, codes, external wrenches") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  ContactCodeOptions with_wrenches;
  with_wrenches.wrenches = true;
  const CompiledProgram f(contact_dynamics_code(model, set, "f").files, "f", strictly(quick_compiler(), "-O0")),
      g(contact_dynamics_code(model, set, "g", with_wrenches).files, "g", strictly(quick_compiler(), "-O0"));
  ConstrainedDynamics reference(model, set);
  GeneratedAnswer one(reference, model.nv), expected(reference, model.nv);
  std::mt19937 rng(7);
  constexpr long n = 5;
  std::vector<ContactState> states;
  std::vector<double> q, v, tau, a(static_cast<std::size_t>(n * model.nv));
  for (long s = 0; s < n; ++s) states.push_back(touching_state(model, set, rng));
  states[3].v[2] = std::numeric_limits<double>::quiet_NaN();
  const auto transposed = [&](std::vector<double> ContactState::*part) {
    std::vector<double> all;
    for (std::size_t e = 0; e < (states[0].*part).size(); ++e)
      for (const ContactState& s : states) all.push_back((s.*part)[e]);
    return all;
  };
  q = transposed(&ContactState::q), v = transposed(&ContactState::v), tau = transposed(&ContactState::tau);
  const double* arg[] = {q.data(), v.data(), tau.data(), nullptr};
  double* res[] = {a.data(), nullptr, nullptr, nullptr, nullptr};
  std::vector<int> status(n, -1);
  const auto batch = reinterpret_cast<long (*)(const double* const*, double* const*, long, int*)>(f.symbol("f_batch_status"));
  CHECK(batch(arg, res, n, status.data()) == 1);
  CHECK(status == std::vector<int>{0, 0, 0, 1, 0});
  for (long s = 0; s < n; ++s) {
    const int code = one.call(f, states[static_cast<std::size_t>(s)], nullptr);
    CHECK(code == status[static_cast<std::size_t>(s)]);
    double largest = 1;
    for (double x : one.a) largest = std::max(largest, std::abs(x));
    for (int i = 0; i < model.nv; ++i) {
      const double x = a[static_cast<std::size_t>(i * n + s)];
      if (s == 3)
        CHECK(std::isnan(x));
      else
        CHECK(std::abs(x - one.a[static_cast<std::size_t>(i)]) <= 1e-10 * largest);
    }
  }
  // a wrench on the first link is one on the first body
  std::vector<double> fx(6 * model.links.size(), 0.0);
  for (int k = 0; k < 6; ++k) fx[static_cast<std::size_t>(k)] = 3.0 + k;
  std::vector<Force<double>> on_bodies(model.bodies.size(), {zero3<double>(), zero3<double>()});
  on_bodies[0] = to_parent(model.links[0].pose, Force<double>{{{3, 4, 5}}, {{6, 7, 8}}});
  const ContactState& s = states[0];
  REQUIRE(reference
              .forward(s.q.data(), s.v.data(), s.tau.data(), on_bodies.data(), expected.a.data(), expected.lambda.data(),
                       expected.gap.data())
              .ok());
  const double* pushed[] = {s.q.data(), s.v.data(), s.tau.data(), fx.data(), nullptr};
  double* results[] = {one.a.data(), one.lambda.data(), one.gap.data(), one.next.data(), one.solver.data()};
  REQUIRE(g.call(pushed, results) == 0);
  CHECK(relative_difference(one.a, expected.a) <= 1e-9);
  CHECK(relative_difference(one.lambda, expected.lambda) <= 1e-9);
}

TEST_CASE("generated contact dynamics refuse odd powers by name") {
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  set.parameters.solimp = {0.9, 0.95, 0.001, 0.5, 2.5};
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "f"), Contains("whole powers"));
  set.parameters.solimp = {0.9, 0.95, 0.001, 0.5, 3};
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "2f"), Contains("name in C"));
}
