// Generated inverse dynamics under contacts beside ConstrainedDynamics::inverse, which is held against MuJoCo, and beside
// forward dynamics of its torques: all cones and frictions, open, sticking and sliding contacts, stops, dry friction, soft
// loops; states of rest; batches in lanes; wrenches; what is refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "support/contact_loops.hpp"
#include "support/contact_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// q, v and accelerations, which ContactState::tau holds here.
using MotionState = ContactState;

struct InverseAnswer {
  InverseAnswer(const ConstrainedDynamics& d, int nv)
      : tau(static_cast<std::size_t>(nv), -7), lambda(d.force_columns().size(), -7), gap(d.gap_columns().size(), -7) {}
  std::vector<double> tau, lambda, gap;

  ConstraintStatus reference(ConstrainedDynamics& d, const MotionState& s, const Force<double>* fx = nullptr) {
    return d.inverse(s.q.data(), s.v.data(), s.tau.data(), fx, tau.data(), lambda.data(), gap.data());
  }
  int call(const CompiledProgram& f, const MotionState& s) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data()};
    double* res[] = {tau.data(), lambda.data(), gap.data()};
    return f.call(arg, res);
  }
};

/// Torques beside the forces, too, which they may be small differences of.
void check_inverse_answer(const InverseAnswer& found, const InverseAnswer& expected) {
  std::vector<double> balance = expected.tau, torques = found.tau;
  balance.insert(balance.end(), expected.lambda.begin(), expected.lambda.end());
  torques.insert(torques.end(), found.lambda.begin(), found.lambda.end());
  CHECK(relative_difference(torques, balance) <= 1e-10);
  CHECK(relative_difference(found.lambda, expected.lambda) <= 1e-10);
  CHECK(relative_difference(found.gap, expected.gap) <= 1e-12);
}

/// Random accelerations, those of forward dynamics, which the contacts have settled with, none, and rest in the neutral
/// posture.
std::vector<MotionState> motion_states(const Model& model, const ConstraintSet& set, ConstrainedDynamics& dynamics, int n,
                                       unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<MotionState> all;
  InverseAnswer ignored(dynamics, model.nv);
  for (int k = 0; k < n; ++k) {
    ContactState s = touching_state(model, set, rng);
    if (k % 3 == 1) {
      const std::vector<double> tau = s.tau;
      REQUIRE(
          dynamics.forward(s.q.data(), s.v.data(), tau.data(), nullptr, s.tau.data(), ignored.lambda.data(), ignored.gap.data())
              .ok());
    }
    if (k % 3 == 2) std::fill(s.tau.begin(), s.tau.end(), 0.0);
    if (k % 6 == 2) std::fill(s.v.begin(), s.v.end(), 0.0);
    all.push_back(s);
  }
  MotionState rest = all.back();
  neutral(model, rest.q.data());
  std::fill(rest.v.begin(), rest.v.end(), 0.0), std::fill(rest.tau.begin(), rest.tau.end(), 0.0);
  all.push_back(rest);
  return all;
}

/// By element of sample s at e n + s.
std::vector<double> states_by_element(const std::vector<MotionState>& states, std::vector<double> ContactState::*part) {
  std::vector<double> all;
  for (std::size_t e = 0; e < (states[0].*part).size(); ++e)
    for (const MotionState& s : states) all.push_back((s.*part)[e]);
  return all;
}

struct InverseBatch {
  std::vector<double> tau, lambda, gap;
  std::vector<int> status;
  long failed;
};

InverseBatch batch_answer(const CompiledProgram& f, const std::vector<MotionState>& states, const InverseAnswer& sizes) {
  const std::size_t n = states.size();
  const std::vector<double> q = states_by_element(states, &ContactState::q), v = states_by_element(states, &ContactState::v),
                            a = states_by_element(states, &ContactState::tau);
  InverseBatch x{std::vector<double>(sizes.tau.size() * n, -7), std::vector<double>(sizes.lambda.size() * n, -7),
                 std::vector<double>(sizes.gap.size() * n, -7), std::vector<int>(n, -1), 0};
  const double* arg[] = {q.data(), v.data(), a.data()};
  double* res[] = {x.tau.data(), x.lambda.data(), x.gap.data()};
  const auto batch = reinterpret_cast<long (*)(const double* const*, double* const*, long, int*)>(f.symbol("f_batch_status"));
  x.failed = batch(arg, res, static_cast<long>(n), x.status.data());
  return x;
}

std::vector<double> sample_of_batch(const std::vector<double>& all, std::size_t n, std::size_t s) {
  std::vector<double> one;
  for (std::size_t k = s; k < all.size(); k += n) one.push_back(all[k]);
  return one;
}

Seen hold_inverse_against_reference(const Model& model, const ConstraintSet& set, int states, unsigned seed,
                                    const std::string& compiler = quick_compiler(), const std::string& flags = "-O0") {
  CAPTURE(model.name, seed, compiler, flags);
  const CompiledProgram f(contact_inverse_dynamics_code(model, set, "f").files, "f", strictly(compiler, flags));
  ConstrainedDynamics reference(model, set);
  InverseAnswer found(reference, model.nv), expected(found), forward(found);
  const std::vector<MotionState> all = motion_states(model, set, reference, states, seed);
  const InverseBatch batch = batch_answer(f, all, found);
  CHECK(batch.failed == 0);
  Seen seen;
  for (std::size_t k = 0; k < all.size(); ++k) {
    CAPTURE(k);
    const MotionState& s = all[k];
    REQUIRE(expected.reference(reference, s).ok());
    REQUIRE(found.call(f, s) == 0);
    check_inverse_answer(found, expected);
    count_kinds(set, found.lambda, found.gap, seen);
    InverseAnswer of_batch(found);
    of_batch.tau = sample_of_batch(batch.tau, all.size(), k), of_batch.lambda = sample_of_batch(batch.lambda, all.size(), k);
    of_batch.gap = sample_of_batch(batch.gap, all.size(), k);
    CHECK(batch.status[k] == 0);
    check_inverse_answer(of_batch, expected);
    // forward dynamics of these torques give the accelerations back, as far as M is regular
    REQUIRE(reference
                .forward(s.q.data(), s.v.data(), found.tau.data(), nullptr, forward.tau.data(), forward.lambda.data(),
                         forward.gap.data())
                .ok());
    CHECK(relative_difference(forward.tau, s.tau) <= 1e-7);
  }
  return seen;
}

}  // namespace

TEST_CASE("generated inverse dynamics under contacts of all cones and frictions give the reference's torques and forces") {
  const Model model = shipped_model("quadruped", true);
  for (const std::string compiler : {"gcc", "clang"})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal})
      for (const double impratio : {1.0, 5.0}) {
        if (missing(compiler)) continue;
        ConstraintSet set = spheres_on_leaves(model, impratio == 1 ? std::vector<std::vector<double>>{{0.8}} : all_frictions);
        set.parameters.cone = cone, set.parameters.impratio = impratio;
        if (impratio != 1) add_stops_and_friction(set);
        const Seen seen = hold_inverse_against_reference(model, set, 45, 3, compiler, impratio == 1 ? "-O1" : "-O0");
        CAPTURE(seen.open, seen.sticking, seen.sliding);
        CHECK(seen.open > 0);
        if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
      }
}

TEST_CASE("generated inverse dynamics under contacts of other robots with every joint, on slopes") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const ContactRobot robot = robot_on_a_slope(seed);
    hold_inverse_against_reference(robot.model, robot.set, 30, seed);
  }
}

TEST_CASE("generated inverse dynamics under contacts where joints follow others") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const ContactRobot robot = robot_with_followers(seed);
    hold_inverse_against_reference(robot.model, robot.set, 30, seed);
  }
}

TEST_CASE("generated inverse dynamics under contacts of whole robots on flat ground") {
  if (missing(quick_compiler())) return;
  for (const ContactRobot& robot : standing_robots({"humanoid.", "hyq", "atlas"}))
    hold_inverse_against_reference(robot.model, robot.set, 30, 1);
}

TEST_CASE("generated inverse dynamics under soft loops and couplings, with all else") {
  if (missing("gcc")) return;
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (unsigned seed = 0; seed < 6; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(7, seed, options);
    ConstraintSet set;
    if (seed > 1) set = spheres_on_leaves(model, all_frictions);
    for (Constraint& c : set.constraints) c.plane_point = {{0.1, 0, 0.2}}, c.margin = 0.1;
    const ConstraintType type = seed % 2 ? ConstraintType::weld : ConstraintType::connect;
    set.constraints.push_back(pair_of(model, type, model.links.back().name, seed % 3 ? model.links[2].name : "world", false));
    const Constraint coupling = coupling_of(model, false);
    if (seed > 2 && !coupling.joints.empty() && coupling.of != coupling.joints[0]) set.constraints.push_back(coupling);
    if (seed > 3) add_stops_and_friction(set);
    hold_inverse_against_reference(model, set, 20, seed, "gcc", seed == 5 ? "-O1" : "-O0");
  }
}

TEST_CASE("generated inverse dynamics: wrenches, codes, null vectors, and no lane depends on another") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  ContactCodeOptions with_wrenches;
  with_wrenches.wrenches = true;
  const CompiledProgram f(contact_inverse_dynamics_code(model, set, "f").files, "f", strictly(quick_compiler(), "-O0")),
      g(contact_inverse_dynamics_code(model, set, "g", with_wrenches).files, "g", strictly(quick_compiler(), "-O0"));
  ConstrainedDynamics reference(model, set);
  InverseAnswer found(reference, model.nv), expected(found);
  std::vector<MotionState> states = motion_states(model, set, reference, 10, 7);
  std::vector<double> fx(6 * model.links.size(), 0.0);
  for (int k = 0; k < 6; ++k) fx[static_cast<std::size_t>(k)] = 3.0 + k;
  std::vector<Force<double>> on_bodies(model.bodies.size(), {zero3<double>(), zero3<double>()});
  on_bodies[0] = to_parent(model.links[0].pose, Force<double>{{{3, 4, 5}}, {{6, 7, 8}}});
  REQUIRE(expected.reference(reference, states[0], on_bodies.data()).ok());
  const double* pushed[] = {states[0].q.data(), states[0].v.data(), states[0].tau.data(), fx.data()};
  double* results[] = {found.tau.data(), found.lambda.data(), found.gap.data()};
  REQUIRE(g.call(pushed, results) == 0);
  check_inverse_answer(found, expected);

  const InverseBatch before = batch_answer(f, states, found);
  for (double& x : states[3].q) x = 1e200;
  states[5].tau[2] = std::numeric_limits<double>::quiet_NaN();
  const InverseBatch after = batch_answer(f, states, found);
  CHECK(after.failed == 2);
  InverseAnswer untouched(reference, model.nv);
  CHECK(untouched.call(f, states[5]) == 1);
  CHECK(untouched.tau == InverseAnswer(reference, model.nv).tau);
  for (std::size_t s = 0; s < states.size(); ++s) {
    const std::vector<double> tau = sample_of_batch(after.tau, states.size(), s),
                              same = sample_of_batch(before.tau, states.size(), s);
    CHECK(after.status[s] == (s == 3 || s == 5));
    if (s == 3 || s == 5)
      CHECK(std::all_of(tau.begin(), tau.end(), [](double x) { return std::isnan(x); }));
    else
      CHECK(std::memcmp(tau.data(), same.data(), tau.size() * sizeof(double)) == 0);
  }
  MotionState rest = states.back();  // null: zeros
  rest.q.assign(rest.q.size(), 0.0), rest.q[6] = 1;
  REQUIRE(expected.call(f, rest) == 0);
  const double* nulls[] = {rest.q.data(), nullptr, nullptr};
  double* tau_alone[] = {found.tau.data(), nullptr, nullptr};
  REQUIRE(f.call(nulls, tau_alone) == 0);
  CHECK(found.tau == expected.tau);
}

TEST_CASE("generated inverse dynamics under contacts refuse hard constraints by name") {
  const Model model = shipped_model("humanoid", true);
  ConstraintSet set;
  set.constraints = {pair_of(model, ConstraintType::weld, "l_hand", "r_hand", true)};
  CHECK_THROWS_WITH(contact_inverse_dynamics_code(model, set, "f"), Contains("\"l_hand to r_hand\" is hard"));
}
