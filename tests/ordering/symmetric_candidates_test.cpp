// Orders of redundant sets that keep the augmented matrix symmetric.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// Torques and accelerations measured everywhere; wrenches too, or exactly zero.
SensorSet measured_set(bool wrenches) {
  SensorSet set;
  set.name = "measured";
  for (const char* type : {"joint_torque", "joint_acceleration", "external_wrench"}) {
    Sensor sensor;
    sensor.name = sensor.type = type, sensor.all = true, sensor.sigma = {0.5};
    set.sensors.push_back(sensor);
  }
  if (!wrenches) set.sensors.back().sigma = {}, set.sensors.back().value = {0.0};
  return set;
}

OptimiseOptions few_states() {
  OptimiseOptions options;
  options.health_states = 20;
  options.umfpack_states = 1;
  return options;
}

}  // namespace

TEST_CASE("the plan of a redundant set costs no more than the best that does not know of its symmetry") {
  for (bool wrenches : {true, false}) {
    const System system(test::random_tree(5, 1), measured_set(wrenches));
    const auto plan = plan_estimator(system, {}, few_states());
    CHECK(plan->plan.health.healthy());
    OrderingProblem problem;  // the same matrix
    problem.pattern = plan->plan.pattern, problem.pattern.partner.clear();
    problem.unit = plan->plan.unit;
    problem.samples = augmented_samples(system, *plan, 10);
    CHECK(plan->plan.flops().total() <= optimise_order(problem, few_states()).plan.flops().total());
  }
}

TEST_CASE("least fill takes every pivot from the diagonal or from a pair of rows that exchange their columns") {
  const System system(test::random_tree(6, 4), measured_set(false));
  const SearchedEstimator found = search_estimator_plan(system, {}, few_states());
  const auto own = std::find_if(found.strategies.begin(), found.strategies.end(),
                                [](const StrategyResult& s) { return s.strategy == "least fill"; });
  REQUIRE(own != found.strategies.end());
  CHECK(own->health.healthy());
  const std::vector<int>& partner = found.plan->augmented.pattern().partner;
  std::vector<int> row_of(partner.size());
  for (std::size_t k = 0; k < partner.size(); ++k) row_of[own->order.columns[k]] = own->order.rows[k];
  for (std::size_t r = 0; r < partner.size(); ++r) CHECK(row_of[partner[row_of[partner[r]]]] == static_cast<int>(r));
}

TEST_CASE("least fill is sound at special states that its first probes did not meet") {
  LoadOptions options;
  options.floating = true;
  const std::string set = R"({"sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
    {"name": "left", "type": "external_wrench", "link": "l_sole", "sigma": [0.05, 0.05, 0.05, 1, 1, 1]},
    {"name": "right", "type": "load_cell", "link": "r_sole", "sigma": [1, 0.05, 0.05]},
    {"name": "imu", "type": "accelerometer", "link": "chest", "xyz": [0.01, 0.02, 0.1], "rpy": [0.1, 0, 0], "sigma": 0.05}],
    "prior": {"fx": 1000}})";
  const System system(load_urdf(test::source_folder() + "/robots/humanoid.urdf", options), parse_sensor_set(set, "standing"));
  CHECK(plan_estimator(system)->plan.health.healthy());
}

TEST_CASE("sets of few sensors, singular at special states, have an order without UMFPACK, and the same answers") {
  const Model arm = load_urdf(test::source_folder() + "/robots/arm.urdf");
  const std::string torque = R"({"name": "t", "type": "joint_torque", "joint": "joint2", "sigma": 0.1})";
  const std::string twice = torque + R"(, {"name": "u", "type": "joint_torque", "joint": "joint2", "sigma": 0.2})";
  const std::string air = R"({"name": "air", "type": "external_wrench", "link": "*", "value": 0})";
  OptimiseOptions without;
  without.umfpack_states = 0;
  for (const std::string& sensors : {torque, twice, air + "," + twice}) {
    const auto system = std::make_shared<const System>(arm, parse_sensor_set("{\"sensors\": [" + sensors + "]}", "few"));
    EstimatorOptions options;
    options.outputs = {"tau.joint2"};
    Estimator own(system, plan_estimator(*system, {}, without), options), usual(system, plan_estimator(*system), options);
    std::mt19937 rng(3);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<double> q(arm.nq), v(arm.nv), y(system->inputs().size());
    for (int k = 0; k < 20; ++k) {
      for (std::vector<double>* x : {&q, &v, &y}) std::generate(x->begin(), x->end(), [&] { return any(rng); });
      double a = 0, b = 1;
      REQUIRE(own.estimate(q.data(), v.data(), y.data(), &a).ok());
      REQUIRE(usual.estimate(q.data(), v.data(), y.data(), &b).ok());
      CHECK(std::abs(a - b) <= 1e-10);
      if (sensors == torque) CHECK(std::abs(a - y[0]) <= 1e-10);
    }
  }
}
