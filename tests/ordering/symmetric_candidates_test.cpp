// Orders of redundant sets that keep the augmented matrix symmetric.
#include <algorithm>
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

const StrategyResult& result_of(const SearchedEstimator& found, const std::string& strategy) {
  const auto result = std::find_if(found.strategies.begin(), found.strategies.end(),
                                   [&](const StrategyResult& s) { return s.strategy == strategy; });
  REQUIRE(result != found.strategies.end());
  return *result;
}

}  // namespace

TEST_CASE("least fill is healthy and costs less than orders that lose the symmetry") {
  for (unsigned seed : {1u, 2u, 3u}) {
    const System system(test::random_tree(4 + 2 * static_cast<int>(seed), seed), measured_set());
    OptimiseOptions options;
    options.health_states = 30;
    const SearchedEstimator found = search_estimator_plan(system, {}, options);
    const StrategyResult& own = result_of(found, "least fill");
    CHECK(own.health.healthy());
    for (const StrategyResult& other : found.strategies)
      if (other.strategy != "residuals first") CHECK(own.flops().total() <= other.flops().total());
  }
}

TEST_CASE("least fill takes every pivot from the diagonal or from a pair of rows that exchange their columns") {
  const System system(test::random_tree(6, 4), measured_set());
  OptimiseOptions options;
  options.health_states = 10;
  const SearchedEstimator found = search_estimator_plan(system, {}, options);
  const Order& order = result_of(found, "least fill").order;
  const std::vector<int>& partner = found.plan->augmented.pattern().partner;
  std::vector<int> row_of(partner.size());
  for (std::size_t k = 0; k < partner.size(); ++k) row_of[order.columns[k]] = order.rows[k];
  for (std::size_t r = 0; r < partner.size(); ++r) {
    const int other = row_of[partner[r]];
    CHECK(row_of[partner[other]] == static_cast<int>(r));
  }
}
