// Orders of redundant sets that keep the augmented matrix symmetric.
#include <catch2/catch.hpp>

#include "sparsedyn/ordering/plan_estimator.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// Torques, accelerations and wrenches measured everywhere.
SensorSet measured_set() {
  SensorSet set;
  set.name = "measured";
  for (const char* type : {"joint_torque", "joint_acceleration", "external_wrench"}) {
    Sensor sensor;
    sensor.name = sensor.type = type, sensor.all = true, sensor.sigma = {0.5};
    set.sensors.push_back(sensor);
  }
  return set;
}

OptimiseOptions few_states() {
  OptimiseOptions options;
  options.health_states = 20;
  options.umfpack_states = 1;
  return options;
}

}  // namespace

TEST_CASE("least fill is healthy and costs less than orders that lose the symmetry") {
  for (unsigned seed : {1u, 2u}) {
    const System system(test::random_tree(3 + static_cast<int>(seed), seed), measured_set());
    const auto plan = plan_estimator(system, {}, few_states());
    CHECK(plan->plan.health.healthy());
    OrderingProblem problem;  // the same matrix, of which nobody knows that it is symmetric
    problem.pattern = plan->plan.pattern, problem.pattern.partner.clear();
    problem.unit = plan->plan.unit;
    problem.samples = augmented_samples(system, *plan, 10);
    CHECK(10 * plan->plan.flops().total() < 9 * optimise_order(problem, few_states()).plan.flops().total());
  }
}

TEST_CASE("least fill takes every pivot from the diagonal or from a pair of rows that exchange their columns") {
  const System system(test::random_tree(6, 4), measured_set());
  const auto plan = plan_estimator(system, {}, few_states());
  const Order& order = plan->plan.order;
  const std::vector<int>& partner = plan->augmented.pattern().partner;
  std::vector<int> row_of(partner.size());
  for (std::size_t k = 0; k < partner.size(); ++k) row_of[order.columns[k]] = order.rows[k];
  for (std::size_t r = 0; r < partner.size(); ++r) CHECK(row_of[partner[row_of[partner[r]]]] == static_cast<int>(r));
}
