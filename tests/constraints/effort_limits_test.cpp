// Torques within effort limits: the motion is that of the torques that are left, and by those cut off nothing changes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "constrained_states.hpp"
#include "derivative_differences.hpp"
#include "support/coupled.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("under effort limits a robot moves as by torques within them, and its derivatives know") {
  std::mt19937 rng(21);
  TreeOptions options;
  options.kinds = every_joint_kind();
  int cut_off = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    options.floating = seed % 2 == 0;
    const Model tree = with_stops(random_tree(7, seed, options), rng);
    const Model model = seed % 3 == 2 ? random_coupled_robot(tree, seed).model : tree;
    const Instant s = instant(model, rng);
    ConstraintSet set = touching(model, s, rng, seed % 4 < 2 ? Cone::elliptic : Cone::pyramidal);
    add_joint_constraints(model, set);
    ConstraintOptions limited;
    Instant within = s;
    std::vector<char> cut;
    for (int i = 0; i < model.nv; ++i) {
      limited.effort_limits.push_back(i % 3 == 0 ? unlimited : i % 3 == 1 ? 0 : 2);
      within.tau[i] = std::max(-limited.effort_limits[i], std::min(s.tau[i], limited.effort_limits[i]));
      cut.push_back(within.tau[i] != s.tau[i]), cut_off += cut.back();
    }
    ConstrainedDynamics free(model, set), dynamics(model, set, limited);
    Derivatives expected(model, free), found(model, dynamics);
    CAPTURE(seed);
    REQUIRE(free.derivatives(within.q.data(), within.v.data(), within.tau.data(), nullptr, expected.out()).ok());
    ConstraintStatus status;
    CHECK(allocations_of([&] { status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out()); }) ==
          0);
    REQUIRE(status.ok());
    CHECK((found.at.a == expected.at.a && found.at.lambda == expected.at.lambda));
    for (int kind = 0; kind < 2; ++kind)
      CHECK((found.da[kind] == expected.da[kind] && found.dlambda[kind] == expected.dlambda[kind]));
    for (int i = 0; i < model.nv; ++i) {
      const std::vector<double> column = found.column(2, i);
      if (cut[static_cast<std::size_t>(i)])
        CHECK(std::all_of(column.begin(), column.end(), [](double x) { return x == 0; }));
      else
        CHECK(column == expected.column(2, i));
    }
    std::vector<double> tau(s.tau), lambda(found.at.lambda), gap(found.at.gap);  // what a motion takes is not cut off
    REQUIRE(dynamics.inverse(s.q.data(), s.v.data(), s.v.data(), nullptr, tau.data(), lambda.data(), gap.data()).ok());
    std::vector<double> unlimited_tau(tau);
    REQUIRE(free.inverse(s.q.data(), s.v.data(), s.v.data(), nullptr, unlimited_tau.data(), lambda.data(), gap.data()).ok());
    CHECK(tau == unlimited_tau);
  }
  CHECK(cut_off > 40);
}

TEST_CASE("effort limits: those that a robot has, and those that are none") {
  std::mt19937 rng(22);
  Model model = random_tree(5, 3);
  std::vector<double> limits = effort_limits(model);
  CHECK(limits == std::vector<double>(static_cast<std::size_t>(model.nv), unlimited));
  std::vector<const Joint*> single;
  for (const Joint& j : model.joints)
    if (j.nv == 1) single.push_back(&j);
  REQUIRE(single.size() >= 2);
  const int first = single[0]->v, second = single[1]->v;
  JointLimits effort;
  effort.effort = 7;
  set_joint_limits(model, std::string(single[0]->name), effort);
  effort.effort = 0;  // as many URDFs have it that know none
  set_joint_limits(model, std::string(single[1]->name), effort);
  limits = effort_limits(model);
  CHECK((limits[static_cast<std::size_t>(first)] == 7 && limits[static_cast<std::size_t>(second)] == unlimited));

  ConstraintOptions options;
  options.effort_limits = limits;
  CHECK_NOTHROW(ConstrainedDynamics(model, {}, options));
  for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.effort_limits[0] = wrong;
    CHECK_THROWS_WITH(ConstrainedDynamics(model, {}, options), Catch::Contains("effort limits"));
  }
  options.effort_limits.assign(static_cast<std::size_t>(model.nv) + 1, 1.0);
  CHECK_THROWS_AS(ConstrainedDynamics(model, {}, options), std::invalid_argument);

  options.effort_limits.assign(static_cast<std::size_t>(model.nv), 1.0);
  ConstrainedDynamics dynamics(model, {}, options);
  Instant s = instant(model, rng);
  ConstrainedAnswer x(model, dynamics);
  for (const double wrong : {unlimited, std::numeric_limits<double>::quiet_NaN()}) {  // no limit makes that a torque
    s.tau[0] = wrong;
    CHECK(solve(dynamics, s, x).state == ConstraintState::not_finite_input);
  }
}
