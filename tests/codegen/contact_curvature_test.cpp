// Generated second derivatives through contacts, times multipliers, beside differences of generated first derivatives: all
// cones and frictions, open, sticking and sliding contacts, stops, dry friction; at random states and at rest; where no
// contact is near, beside those of forward dynamics.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "curved_contacts.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// Half of the spheres in the ground, by less than the width of the impedance, over which a contact becomes firmer.
ContactState within_width(const Model& model, const ConstraintSet& set, std::mt19937& rng) {
  ContactState s = touching_state(model, set, rng);
  if (model.floating()) s.q[2] += 0.0003;
  return s;
}

struct SecondCheck {
  int states = 4;
  std::string compiler = quick_compiler(), flags = "-O0";
  bool wrenches = false;
  double bound = 1e-6;
  bool forces = false;  // with multipliers of them
};

Seen hold_second_against_differences(const Model& model, const ConstraintSet& set, unsigned seed, const SecondCheck& check) {
  CAPTURE(model.name, seed, check.compiler, check.flags);
  CurvedContacts f(model, set, check.compiler, check.flags, check.wrenches, check.forces);
  std::mt19937 rng(seed);
  Seen seen;
  for (int k = 0; k < check.states; ++k) {
    ContactState s = within_width(model, set, rng);
    if (k % 4 == 3) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
    CAPTURE(k);
    f.take_multipliers(k);
    CurveVector H;
    REQUIRE(f.second(s, H) == 0);
    count_kinds(set, f.force, f.gap, seen);
    CHECK(difference_of_second(f, s, H, check.bound) <= check.bound);
  }
  return seen;
}

}  // namespace

TEST_CASE("generated second derivatives through contacts are differences of first ones: all cones and frictions") {
  const Model model = shipped_model("quadruped", true);
  for (const std::string compiler : {"gcc", "clang"})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal}) {
      if (missing(compiler)) continue;
      const bool plain = compiler == "gcc";
      ConstraintSet set = spheres_on_leaves(model, plain ? std::vector<std::vector<double>>{{0.8}} : all_frictions);
      set.parameters.cone = cone, set.parameters.impratio = plain ? 1 : 5;
      if (!plain) add_stops_and_friction(set);
      const Seen seen = hold_second_against_differences(
          model, set, 3, {8, compiler, plain && cone == Cone::elliptic ? "-O1" : "-O0", false, 1e-6, !plain});
      CHECK(seen.open > 0);
      if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
    }
}

TEST_CASE("generated second derivatives through contacts of every joint, on slopes, with wrenches, and with followers") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 1; seed < 3; ++seed) {
    ContactRobot robot = robot_on_a_slope(seed, 0.1);
    if (seed > 1) robot.set.constraints[0].solref = SolverReference{0.05, 0.7};  // contacts that differ in B
    robot.set.parameters.solimp = {0.5, 0.95, 0.1, 0.4, 3};
    hold_second_against_differences(robot.model, robot.set, seed,
                                    {3, quick_compiler(), "-O0", seed % 2 == 1, 1e-5, seed % 2 == 1});
    const ContactRobot followers = robot_with_followers(seed, 0.1);
    hold_second_against_differences(followers.model, followers.set, seed, {3, quick_compiler(), "-O0", false, 1e-5, seed > 1});
  }
}

TEST_CASE("generated second derivatives through contacts of robots that stand, at rest and in motion") {
  if (missing(quick_compiler())) return;
  for (const ContactRobot& robot : standing_robots({"hyq"}))
    hold_second_against_differences(robot.model, robot.set, 1, {4, quick_compiler(), "-O0", false, 1e-6, true});
}

TEST_CASE("generated second derivatives through contacts are those of forward dynamics where no contact is near") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  CurvedContacts f(model, set);
  std::mt19937 rng(4);
  ContactState s = touching_state(model, set, rng);
  s.q[2] += 10;
  CurveVector H;
  REQUIRE(f.second(s, H) == 0);
  const auto n = static_cast<std::size_t>(model.nv);
  CurveVector qq(n * n), qv(qq), vv(qq), qtau(qq), by_q(qq), by_v(qq), by_tau(qq), a(n), expected;
  AbaContractionWorkspace<double> work(model);
  REQUIRE(aba_contraction(model, work, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr),
                          f.lambda.data(), {a.data(), by_q.data(), by_v.data(), by_tau.data()},
                          AbaContraction<double>{qq.data(), qv.data(), vv.data(), qtau.data()})
              .ok());
  for (std::size_t i = 0; i < 3 * n; ++i)
    for (std::size_t k = 0; k <= i; ++k)
      expected.push_back(i < n                ? 0.5 * (qq[i * n + k] + qq[k * n + i])
                         : k < n && i < 2 * n ? qv[k * n + i - n]
                         : k < n              ? qtau[k * n + i - 2 * n]
                         : i < 2 * n          ? vv[(i - n) * n + k - n]
                                              : 0);
  for (const double difference : block_differences(H, expected, f.size())) CHECK(difference <= 1e-10);
}

TEST_CASE("generated second derivatives through contacts: what is not asked for, codes, what is refused") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  CurvedContacts f(model, set);
  std::mt19937 rng(5);
  ContactState s = within_width(model, set, rng);
  CurveVector H, again;
  REQUIRE(f.second(s, H) == 0);
  CurvedContacts none(model, set);
  std::fill(none.lambda.begin(), none.lambda.end(), 0.0);
  REQUIRE(none.second(s, again) == 0);
  CHECK(std::all_of(again.begin(), again.end(), [](double x) { return x == 0; }));
  f.lambda[2] = std::nan("");
  CHECK(f.second(s, again) == 1);
  CHECK(again == CurveVector(again.size(), -7));
  ContactCodeOptions alone;
  alone.second = true;
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "f", alone), Contains("go with first ones"));
  alone.second = false, alone.derivatives = alone.force_multipliers = true;
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "f", alone), Contains("go with second derivatives"));
}
