// Generated contact dynamics with the robot's parameters as inputs: ConstrainedDynamics of robots with these parameters, one by
// one and in batches whose samples differ in them.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "support/contact_robots.hpp"
#include "support/parallelogram.hpp"
#include "support/robots.hpp"
#include "varied_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Inverse weights that do not follow the robot's numbers.
ConstraintSet with_stated_weights(ConstraintSet set) {
  for (Constraint& c : set.constraints) c.inverse_weight = {{0.3, 2.0}};
  return set;
}

struct VariedAnswer {
  explicit VariedAnswer(const ConstrainedDynamics& d, int nv)
      : a(static_cast<std::size_t>(nv)), lambda(d.force_columns().size()), gap(d.gap_columns().size()), next(1000), solver(3) {}
  Numbers a, lambda, gap, next, solver;
  std::vector<double*> res() { return {a.data(), lambda.data(), gap.data(), next.data(), solver.data()}; }
};

void check_contacts(const Model& model, const ConstraintSet& set, const std::vector<int>& columns, bool wrenches) {
  ContactCodeOptions options;
  options.parameters = inputs_of(model, columns), options.wrenches = wrenches;
  const ContactCode code = contact_dynamics_code(model, set, "f", options);
  const CompiledProgram f(code.files, "f", strictly(quick_compiler(), "-O0"));
  CHECK(code.files.header.find("f_pi_nominal") != std::string::npos);
  const std::size_t place = wrenches ? 4 : 3;
  constexpr std::size_t n = 5;
  std::mt19937 rng(3);
  const Numbers no_wrench(6 * model.links.size(), 0.0);
  std::vector<Numbers> in(place + 1), accelerations;
  const auto into_columns = [&](std::size_t port, const Numbers& x, std::size_t s) {
    in[port].resize(n * x.size());
    for (std::size_t e = 0; e < x.size(); ++e) in[port][e * n + s] = x[e];
  };
  for (std::size_t s = 0; s < n; ++s) {
    const Numbers all = s == 0 ? parameters(model) : with_columns(model, columns, drawn(model, static_cast<unsigned>(s)));
    const Numbers pi = picked(all, columns);
    const Model other = robot_with(model, all);
    ConstrainedDynamics reference(other, set);
    ContactState state = touching_state(model, set, rng);
    if (s == 1) std::fill(state.v.begin(), state.v.end(), 0.0), std::fill(state.tau.begin(), state.tau.end(), 0.0);
    VariedAnswer found(reference, model.nv), expected(reference, model.nv);
    REQUIRE(reference
                .forward(state.q.data(), state.v.data(), state.tau.data(), nullptr, expected.a.data(), expected.lambda.data(),
                         expected.gap.data())
                .ok());
    std::vector<const double*> arg{state.q.data(), state.v.data(), state.tau.data()};
    if (wrenches) arg.push_back(nullptr);
    arg.push_back(pi.data()), arg.push_back(nullptr);
    REQUIRE(f.call(arg.data(), found.res().data()) == 0);
    CHECK(norm_error(found.a, expected.a) < 1e-9);
    CHECK(norm_error(found.lambda, expected.lambda) < 1e-9);
    into_columns(0, state.q, s), into_columns(1, state.v, s), into_columns(2, state.tau, s), into_columns(place, pi, s);
    accelerations.push_back(expected.a);
  }
  std::vector<const double*> arg;
  for (const Numbers& x : in) arg.push_back(x.empty() ? nullptr : x.data());
  arg.push_back(nullptr);
  Numbers a(n * static_cast<std::size_t>(model.nv));
  double* res[] = {a.data(), nullptr, nullptr, nullptr, nullptr};
  f.batch(arg.data(), res, static_cast<long>(n));
  for (std::size_t s = 0; s < n; ++s) {
    Numbers own;
    for (std::size_t e = 0; e < static_cast<std::size_t>(model.nv); ++e) own.push_back(a[e * n + s]);
    CHECK(norm_error(own, accelerations[s]) < 1e-9);
  }
}

}  // namespace

TEST_CASE(
    "generated contact dynamics with parameters as inputs: a quadruped whose samples differ in mass, friction and rotors") {
  if (missing(quick_compiler())) return;
  const Model model = with_joint_physics(shipped_model("quadruped", true), 3);
  const ConstraintSet set = with_stated_weights(spheres_on_leaves(model, {{0.8}}));
  check_contacts(model, set, all_columns(model), false);
  check_contacts(model, set, {0, 13, 24, 3}, true);
}

TEST_CASE("generated contact dynamics with parameters as inputs, of robots on slopes and of followers") {
  if (missing(quick_compiler())) return;
  const ContactRobot slope = robot_on_a_slope(1), followers = robot_with_followers(2);
  check_contacts(slope.model, with_stated_weights(slope.set), all_columns(slope.model), false);
  check_contacts(followers.model, with_stated_weights(followers.set), all_columns(followers.model), false);
}

/// Rows of hard loops are measured beside one another, without masses; D and the weights of rows, which follow the robot's own
/// masses, shape the way to the answer alone. Joint forces are differences of weights, of what masses resist, and of torques:
/// they are held beside the largest of these.
TEST_CASE("generated dynamics under hard loops whose bars are thousands of times as heavy or as light as the robot's own") {
  if (missing("gcc")) return;
  const Model model = linkage::parallelogram();
  const std::vector<int> columns = all_columns(model);
  ContactCodeOptions options;
  options.parameters = inputs_of(model, columns);
  const CompiledProgram f(contact_dynamics_code(model, linkage::flat_loop(), "f", options).files, "f", strictly("gcc", "-O1"));
  Numbers a(3), lambda(20), gap(20), next(100), solver(3);
  double* res[] = {a.data(), lambda.data(), gap.data(), next.data(), solver.data()};
  using Factors = std::array<double, 3>;  // of crank, coupler and rocker
  for (const Factors& factors : {Factors{1, 1, 1}, {1e4, 1e4, 1e4}, {1e-4, 1e-4, 1e-4}, {1e3, 1, 1e-3}, {1, 1e-3, 1e3}}) {
    Numbers pi = parameters(model);
    for (std::size_t k = 0; k < 30; ++k) pi[k] *= factors[k / 10];
    const Model other = robot_with(model, pi);
    for (const double theta : {1.0, 0.03, 1e-3, 1e-5, -1e-6})
      for (const double rate : {0.0, 0.7}) {
        const ContactState s = linkage::on_loop<ContactState>(theta, rate);
        CAPTURE(factors[0], factors[1], theta, rate);
        const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), pi.data(), nullptr};
        REQUIRE(f.call(arg, res) == 0);
        const linkage::Reduced exact = linkage::reduced(other, s);
        const double bound = std::max(1e-10, rate == 0 ? 0 : 1e-16 / std::abs(theta));  // J̇ v beside J: rounding by θ
        const Factors held = linkage::put_back(theta, lambda);
        for (std::size_t i = 0; i < 3; ++i) {
          CHECK(std::abs(a[i] - linkage::B[i] * exact.acceleration) <= bound * std::max(1.0, std::abs(exact.acceleration)));
          CHECK(std::abs(held[i] - exact.missing[i]) <= bound * std::max(1.0, exact.largest));
        }
      }
  }
}

TEST_CASE("parameters are constants in derivatives through contacts") {
  const Model model = shipped_model("quadruped", true);
  ContactCodeOptions options;
  options.parameters = inputs_of(model, {0}), options.derivatives = true;
  CHECK_THROWS_AS(contact_dynamics_code(model, spheres_on_leaves(model, {{0.8}}), "f", options), std::invalid_argument);
}
