// The order in which a step of the iteration eliminates the freedoms: answers do not depend on it, plans choose it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "constrained_states.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"
#include "support/coupled.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Contacts, stops, what rubs, a coupling, and two links of different branches held together, or touching each other; these two
/// hard or soft (on a fixed base few freedoms can meet the rod's three rows, so that it stays soft there).
ConstraintSet everything(const Model& model, const Instant& s, std::mt19937& rng, bool hard) {
  ConstraintSet set = touching(model, s, rng, Cone::elliptic);
  add_joint_constraints(model, set);
  for (Constraint& c : set.constraints) c.hard = hard && c.type == ConstraintType::joint;
  Constraint rod;
  rod.name = "rod", rod.type = ConstraintType::connect, rod.hard = hard && model.floating();
  for (auto link = model.links.rbegin(); link != model.links.rend() && rod.links.size() < 2; ++link)
    if (link->body >= 0 &&
        (rod.links.empty() || model.links[static_cast<std::size_t>(model.find_link(rod.links[0]))].body != link->body))
      rod.links.push_back(link->name);
  rod.frames[0].d = {{0.1, 0.2, -0.1}};
  set.constraints.push_back(rod);
  Constraint pair;
  pair.name = "claws", pair.type = ConstraintType::link_contact, pair.friction = {0.6}, pair.links = rod.links;
  pair.finder = [](const double*, const Pose<double>& first, const Pose<double>& second, ContactPoint* p) {
    p->there = p->follows = true, p->gap = -0.001, p->normal = {{0.6, 0, 0.8}};
    p->point = 0.5 * (first.d + second.d);
  };
  if (!hard) set.constraints.push_back(pair);
  return set;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 1;
  for (std::size_t k = 0; k < a.size(); ++k)
    most = std::max(most, std::abs(a[k] - b[k])), size = std::max(size, std::abs(b[k]));
  return most / size;
}

/// Accelerations, forces and all derivatives by this order.
struct Whole {
  Whole(const Model& model, const ConstraintSet& set, const Instant& s, const std::vector<int>& order)
      : dynamics(model, set, with(order)), x(model, dynamics), da(3 * static_cast<std::size_t>(model.nv * model.nv)) {
    const std::size_t square = da.size() / 3;
    status = dynamics.derivatives(
        s.q.data(), s.v.data(), s.tau.data(), nullptr,
        {x.a.data(), x.lambda.data(), x.gap.data(), da.data(), da.data() + square, da.data() + 2 * square});
  }
  static ConstraintOptions with(const std::vector<int>& order) {
    ConstraintOptions options;
    options.order = order;
    return options;
  }
  ConstrainedDynamics dynamics;
  ConstrainedAnswer x;
  std::vector<double> da;
  ConstraintStatus status;
};

std::vector<int> tips_first(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

void check_orders(const Model& model, std::mt19937& rng, bool hard) {
  const Instant s = instant(model, rng);
  const ConstraintSet set = everything(model, s, rng, hard);
  const Whole expected(model, set, s, {});
  INFO(expected.dynamics.describe(expected.status));
  REQUIRE(expected.status.ok());
  std::vector<int> order = tips_first(model.nv);
  const Whole same(model, set, s, order);
  CHECK(same.x.a == expected.x.a);
  const auto check = [&](const std::vector<int>& by) {
    const Whole found(model, set, s, by);
    REQUIRE(found.status.ok());
    CHECK(difference(found.x.a, expected.x.a) < 1e-9);
    CHECK(difference(found.x.lambda, expected.x.lambda) < 1e-8);
    CHECK(difference(found.da, expected.da) < 1e-7);
  };
  for (int shuffled = 0; shuffled < 3; ++shuffled) std::shuffle(order.begin(), order.end(), rng), check(order);

  const OptimiseResult planned = optimise(model, set);
  CHECK(planned.healthy());
  REQUIRE(planned.plan.order.rows == planned.plan.order.columns);
  const Pattern pattern = constraint_pattern(model, set);
  CHECK(planned.plan.flops().total() <= make_plan(pattern, {tips_first(model.nv), tips_first(model.nv)}).flops().total());
  check(planned.plan.order.rows);
}

}  // namespace

TEST_CASE("accelerations, forces and derivatives do not depend on the order of elimination, and plans give one") {
  std::mt19937 rng(61);
  for (bool floating : {false, true})
    for (bool hard : {false, true})
      for (unsigned seed : {1u, 2u}) {
        INFO(floating << hard << seed);
        TreeOptions options;
        options.floating = floating, options.kinds = every_joint_kind();
        check_orders(with_stops(random_tree(7, seed, options), rng), rng, hard);
      }
}

TEST_CASE("orders of elimination of robots whose joints follow others") {
  std::mt19937 rng(62);
  for (bool floating : {false, true}) {
    TreeOptions options;
    options.floating = floating;
    check_orders(random_coupled_robot(with_stops(random_tree(8, 3, options), rng), 4).model, rng, false);
  }
}

TEST_CASE("an order that is no permutation of the freedoms is refused") {
  const Model model = random_tree(4, 1);
  for (std::vector<int> order : {tips_first(model.nv - 1), tips_first(model.nv + 1), std::vector<int>(model.nv, 0)}) {
    ConstraintOptions options;
    options.order = order;
    CHECK_THROWS_AS(ConstrainedDynamics(model, {}, options), std::invalid_argument);
  }
}

TEST_CASE("what cannot be held exactly is refused where it is said to be hard") {
  const Model model = random_tree(4, 1);
  ConstraintSet set;
  add_joint_constraints(model, set);
  set.constraints = {set.constraints.at(1)};  // what rubs
  CHECK_NOTHROW(ConstrainedDynamics(model, set));
  set.constraints[0].hard = true;
  CHECK_THROWS_AS(ConstrainedDynamics(model, set), std::invalid_argument);
}

TEST_CASE("fingerprints of constraints' plans know the freedoms, who meets whom, and who follows whom") {
  std::mt19937 rng(63);
  const Model model = with_stops(random_tree(6, 2), rng);
  const Instant s = instant(model, rng);
  const ConstraintSet set = everything(model, s, rng, true);
  ConstraintSet heavier = set, fewer = set, renamed = set;
  heavier.constraints[0].radius = 0.2;
  fewer.constraints.pop_back();
  renamed.constraints[0].name = "other";
  CHECK(constraint_fingerprint(model, heavier) == constraint_fingerprint(model, set));
  CHECK(constraint_fingerprint(model, fewer) != constraint_fingerprint(model, set));
  CHECK(constraint_fingerprint(model, renamed) != constraint_fingerprint(model, set));
  const CoupledRobot coupled = random_coupled_robot(with_stops(random_tree(8, 3), rng), 4);
  CHECK(constraint_fingerprint(coupled.model, {}) != constraint_fingerprint(coupled.tree, {}));
}
