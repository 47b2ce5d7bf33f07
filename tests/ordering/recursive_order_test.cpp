#include <catch2/catch.hpp>
#include <cmath>

#include "ordering/algorithms/umfpack.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const int sizes[] = {2, 3, 5, 7, 12, 20, 30, 50, 70, 100};

TreeOptions chain() {
  TreeOptions options;
  options.branching = 0;
  return options;
}

void is_triangular_with_unit_diagonal(const System& system) {
  const std::optional<Order> order = recursive_order(system);
  REQUIRE(order);
  const Elimination lu = eliminate(system.pattern(), *order);
  CHECK(lu.upper.empty());
  CHECK(lu.fill == 0);
  const Plan plan = make_plan(system.pattern(), *order, unit_entries(system));
  CHECK(plan.factor_flops() == Flops{0, 0, 0});
  CHECK(plan.solve_flops().div == 0);
  for (std::size_t k = 0; k < order->rows.size(); ++k) {
    const int r = order->rows[k];
    for (int e = system.pattern().row_start[r]; e < system.pattern().row_start[r + 1]; ++e)
      if (system.pattern().column[e] == order->columns[k]) CHECK(std::abs(system.constants()[e]) == 1.0);
  }
}

}  // namespace

TEST_CASE("Inverse dynamics of chains and trees is triangular with a ±1 diagonal in recursive order") {
  for (int n : sizes)
    for (bool floating : {false, true}) {
      TreeOptions tree;
      tree.floating = floating;
      is_triangular_with_unit_diagonal(System(random_tree(n, static_cast<unsigned>(n), tree), inverse_dynamics_set()));
      is_triangular_with_unit_diagonal(System(random_tree(n, static_cast<unsigned>(n), chain()), inverse_dynamics_set()));
    }
}

TEST_CASE("UMFPACK's order has no fill-in for inverse dynamics") {
  if (!has_umfpack()) {
    WARN("skipped: built without SuiteSparse");
    return;
  }
  for (int n : sizes) {
    const System system(random_tree(n, 100u + static_cast<unsigned>(n)), inverse_dynamics_set());
    const Samples samples = samples_of(system, 2);
    std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
    for (int s = 0; s < 2; ++s) {
      samples.fill(s, values.data(), right_side.data());
      const std::optional<Order> order = umfpack_order(system.pattern(), values.data());
      REQUIRE(order);
      CHECK(eliminate(system.pattern(), *order).fill == 0);
    }
  }
}

TEST_CASE("Forward dynamics in recursive order divides once a freedom and is healthy at every state") {
  for (int n : {1, 4, 9, 16})
    for (bool floating : {false, true}) {
      TreeOptions options;
      options.floating = floating;
      options.kinds = {JointKind::revolute,  JointKind::prismatic, JointKind::helical,
                       JointKind::spherical, JointKind::planar,    JointKind::universal};
      const System system(random_tree(n, 7u * static_cast<unsigned>(n), options), forward_dynamics_set());
      const std::optional<Plan> plan = recursive_plan(system);
      REQUIRE(plan);
      CHECK(plan->factor_flops().div == system.model().nv);
      CHECK(plan->health.states >= 704);
      CHECK(plan->health.healthy());
    }
}

TEST_CASE("Any mixture of known torques and known accelerations has a recursive order") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Model model = random_tree(10, seed);
    SensorSet set = forward_dynamics_set();
    Sensor given = inverse_dynamics_set().sensors[0];
    given.name = "given";
    given.all = false;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if ((seed * 2654435761u >> j) & 1u) given.targets.push_back({model.joints[j].name, 0});
    set.sensors[0].except = given.targets;
    set.sensors.push_back(given);
    const System system(model, set);
    REQUIRE(system.pattern().rows == system.pattern().columns);
    const std::optional<Plan> plan = recursive_plan(system);
    REQUIRE(plan);
    CHECK(plan->health.healthy());
    CHECK(plan->factor_flops().div == 10 - static_cast<int>(given.targets.size()));
  }
}
