// Generated first derivatives through contacts beside ConstrainedDynamics::derivatives, which is held against differences: all
// cones and frictions, open, sticking and sliding contacts, stops, dry friction; batches; wrenches; what is not asked for.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr std::size_t matrices = 6;

/// ddq, lambda, gap, and the six matrices.
struct SlopesAnswer {
  SlopesAnswer(const ConstrainedDynamics& d, int n)
      : a(static_cast<std::size_t>(n)), lambda(d.force_columns().size()), gap(d.gap_columns().size()), next(1000), solver(3) {
    for (std::size_t k = 0; k < matrices; ++k) matrix.emplace_back((k < 3 ? a : lambda).size() * a.size(), -7.0);
  }
  std::vector<double> a, lambda, gap, next, solver;
  std::vector<std::vector<double>> matrix;

  ConstraintStatus reference(ConstrainedDynamics& d, const ContactState& s, const Force<double>* fx = nullptr) {
    return d.derivatives(s.q.data(), s.v.data(), s.tau.data(), fx,
                         {a.data(), lambda.data(), gap.data(), matrix[0].data(), matrix[1].data(), matrix[2].data(),
                          matrix[3].data(), matrix[4].data(), matrix[5].data()});
  }
  std::vector<double*> results() {
    std::vector<double*> all{a.data(), lambda.data(), gap.data(), next.data(), solver.data()};
    for (std::vector<double>& m : matrix) all.push_back(m.data());
    return all;
  }
  int call(const CompiledProgram& f, const ContactState& s, const double* start = nullptr) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), start};
    return f.call(arg, results().data());
  }
};

ContactCodeOptions with_derivatives() {
  ContactCodeOptions options;
  options.derivatives = true;
  return options;
}

/// Forces beside the largest of all three matrices: those by τ may be rounding alone.
void check_equal(const SlopesAnswer& found, const SlopesAnswer& expected) {
  CHECK(relative_difference(found.a, expected.a) <= 1e-9);
  CHECK(relative_difference(found.lambda, expected.lambda) <= 1e-9);
  for (std::size_t k = 0; k < matrices; ++k) {
    CAPTURE(k);
    CHECK(relative_difference(found.matrix[k], expected.matrix[k]) <= 1e-9);
  }
}

Seen hold_slopes_against_reference(const Model& model, const ConstraintSet& set, int states, unsigned seed,
                                   const std::string& compiler = quick_compiler(), const std::string& flags = "-O0") {
  CAPTURE(model.name, seed, compiler, flags);
  const CompiledProgram f(contact_dynamics_code(model, set, "f", with_derivatives()).files, "f", strictly(compiler, flags));
  ConstrainedDynamics reference(model, set);
  SlopesAnswer found(reference, model.nv), expected(reference, model.nv);
  std::mt19937 rng(seed);
  Seen seen;
  for (int k = 0; k < states; ++k) {
    ContactState s = touching_state(model, set, rng);
    CAPTURE(k);
    REQUIRE(expected.reference(reference, s).ok());
    REQUIRE(found.call(f, s) == 0);
    check_equal(found, expected);
    count_kinds(set, found.lambda, found.gap, seen);
    for (double& x : s.tau) x *= 1.01;
    REQUIRE(expected.reference(reference, s).ok());
    REQUIRE(found.call(f, s, found.next.data()) == 0);
    check_equal(found, expected);
  }
  return seen;
}

}  // namespace

TEST_CASE("generated derivatives through contacts are the reference's: all cones and frictions") {
  const Model model = shipped_model("quadruped", true);
  for (const std::string compiler : {"gcc", "clang"})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal})
      for (const double impratio : {1.0, 5.0}) {
        if (missing(compiler)) continue;
        ConstraintSet set = spheres_on_leaves(model, impratio == 1 ? std::vector<std::vector<double>>{{0.8}} : all_frictions);
        set.parameters.cone = cone, set.parameters.impratio = impratio;
        if (impratio != 1) add_stops_and_friction(set);
        const Seen seen = hold_slopes_against_reference(model, set, 20, 3, compiler, impratio == 1 ? "-O1" : "-O0");
        CHECK(seen.open > 0);
        if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
      }
}

TEST_CASE("generated derivatives through contacts on other robots: fixed bases, sloping planes, every joint, soft and firm") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 6; ++seed) {
    ContactRobot robot = robot_on_a_slope(seed, 0.1);
    if (seed > 1) robot.set.constraints[0].solref = SolverReference{0.05, 0.7};  // contacts that differ in B
    if (seed > 3) robot.set.parameters.solimp = {0.5, 0.95, 0.1, 0.4, 3};
    hold_slopes_against_reference(robot.model, robot.set, 15, seed);
  }
}

TEST_CASE("generated derivatives through contacts of whole robots: a humanoid, HyQ, Atlas") {
  if (missing(quick_compiler())) return;
  const Model humanoid = shipped_model("humanoid", true);
  ConstraintSet set = spheres_on_leaves(humanoid, {{0.8}});
  add_stops_and_friction(set);
  const Seen seen = hold_slopes_against_reference(humanoid, set, 20, 5);
  CHECK((seen.open > 0 && seen.sticking > 0 && seen.sliding > 0));
  for (const ContactRobot& robot : standing_robots({"hyq", "atlas"}))
    hold_slopes_against_reference(robot.model, robot.set, 20, 1);
}

TEST_CASE("generated derivatives through contacts where joints follow others") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const ContactRobot robot = robot_with_followers(seed, 0.1);
    hold_slopes_against_reference(robot.model, robot.set, 15, seed);
  }
}

TEST_CASE("generated derivatives through contacts: wrenches, codes, batches, and results that are not asked for") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  ContactCodeOptions options = with_derivatives();
  options.wrenches = true;
  const CompiledProgram f(contact_dynamics_code(model, set, "f", options).files, "f", strictly(quick_compiler(), "-O0"));
  ConstrainedDynamics reference(model, set);
  std::mt19937 rng(7);
  std::vector<ContactState> states;
  for (int s = 0; s < 3; ++s) states.push_back(touching_state(model, set, rng));
  std::vector<double> fx(6 * model.links.size(), 0.0);
  for (int k = 0; k < 6; ++k) fx[static_cast<std::size_t>(k)] = 3.0 + k;
  std::vector<Force<double>> on_bodies(model.bodies.size(), {zero3<double>(), zero3<double>()});
  on_bodies[0] = to_parent(model.links[0].pose, Force<double>{{{3, 4, 5}}, {{6, 7, 8}}});
  SlopesAnswer found(reference, model.nv), expected(reference, model.nv), untouched(reference, model.nv);
  REQUIRE(expected.reference(reference, states[0], on_bodies.data()).ok());
  const double* arg[] = {states[0].q.data(), states[0].v.data(), states[0].tau.data(), fx.data(), nullptr};
  REQUIRE(f.call(arg, found.results().data()) == 0);
  check_equal(found, expected);
  std::vector<double*> some = untouched.results();
  some[5] = some[7] = some[8] = some[9] = nullptr;
  REQUIRE(f.call(arg, some.data()) == 0);
  CHECK(untouched.matrix[1] == found.matrix[1]);
  CHECK(untouched.matrix[5] == found.matrix[5]);
  CHECK(untouched.matrix[0] == std::vector<double>(untouched.matrix[0].size(), -7.0));

  // by element, one with a number that is not finite
  states[1].tau[3] = std::numeric_limits<double>::infinity();
  std::vector<double> q, v, tau, by_v(3 * found.matrix[1].size());
  for (std::size_t e = 0; e < states[0].q.size(); ++e)
    for (const ContactState& s : states) q.push_back(s.q[e]);
  for (std::size_t e = 0; e < states[0].v.size(); ++e)
    for (const ContactState& s : states) v.push_back(s.v[e]), tau.push_back(s.tau[e]);
  const double* in[] = {q.data(), v.data(), tau.data(), nullptr, nullptr};
  double* out[11] = {};
  out[6] = by_v.data();
  int status[3];
  const auto batch = reinterpret_cast<long (*)(const double* const*, double* const*, long, int*)>(f.symbol("f_batch_status"));
  CHECK(batch(in, out, 3, status) == 1);
  CHECK((status[0] == 0 && status[1] == 1 && status[2] == 0));
  for (std::size_t s : {0, 2}) {
    REQUIRE(expected.reference(reference, states[s]).ok());
    for (std::size_t e = 0; e < found.matrix[1].size(); ++e) found.matrix[1][e] = by_v[3 * e + s];
    CHECK(relative_difference(found.matrix[1], expected.matrix[1]) <= 1e-9);
  }
  CHECK(std::isnan(by_v[1]));
}
