#include "sparsedyn/runtime/make_solver.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Model arm() { return load_urdf(source_folder() + "/robots/arm.urdf"); }

struct ArmState {
  explicit ArmState(const Model& model) {
    for (int i = 0; i < model.nq; ++i) q.push_back(0.3 * std::sin(1.7 * i + 0.4));
    for (int i = 0; i < model.nv; ++i) v.push_back(std::cos(2.3 * i)), tau.push_back(3 * std::sin(0.9 * i));
  }
  std::vector<double> q, v, tau;
};

void check_against_aba(const Model& model, Solver& solver) {
  const ArmState at(model);
  std::vector<double> y(solver.system().inputs().size()), ddq(model.nv), expected(model.nv);
  std::copy(at.tau.begin(), at.tau.end(), y.begin());
  REQUIRE(solver.solve(at.q.data(), at.v.data(), y.data(), ddq.data()).ok());
  Workspace<double> workspace(model);
  REQUIRE(aba<double>(model, workspace, at.q.data(), at.v.data(), at.tau.data(), nullptr, expected.data()).ok());
  for (int i = 0; i < model.nv; ++i) CHECK(std::abs(ddq[i] - expected[i]) <= 1e-10 * std::max(1.0, std::abs(expected[i])));
}

/// Torques and accelerations measured: more than the dynamics need.
SensorSet weighed_set() {
  SensorSet set = load_sensor_set("forward-dynamics");
  for (Sensor& sensor : set.sensors)
    if (sensor.type == "joint_torque") sensor.sigma = {0.1};
  Sensor encoders;
  encoders.name = "encoders", encoders.type = "joint_acceleration", encoders.all = true, encoders.sigma = {0.5};
  set.sensors.push_back(encoders);
  return set;
}

}  // namespace

TEST_CASE("One call makes a solver: by the plan that ships, by the recursive order, by a plan that is given") {
  const Model model = arm();
  const SensorSet set = load_sensor_set("forward-dynamics");
  Solver by_shipped = make_solver(model, set, {{"ddq"}});
  check_against_aba(model, by_shipped);

  LoadOptions cut;
  cut.cut = {model.links.back().name};
  const Model shorter = load_urdf(source_folder() + "/robots/arm.urdf", cut);
  REQUIRE(!shipped_plan(System(shorter, set)));
  Solver by_recursive_order = make_solver(shorter, set, {{"ddq"}});
  check_against_aba(shorter, by_recursive_order);

  Solver by_given = make_solver(model, set, optimise(System(model, set)).plan, {{"ddq"}});
  check_against_aba(model, by_given);
}

TEST_CASE("A plan that ships is the plan of its file") {
  const System system(arm(), load_sensor_set("forward-dynamics"));
  const std::optional<Plan> plan = shipped_plan(system);
  REQUIRE(plan);
  CHECK(plan->health.healthy());
  CHECK(plan->fingerprint == system.fingerprint());
}

TEST_CASE("A plan for another structure, and a set that no known order serves, are refused") {
  const Model model = arm();
  const Plan other = optimise(System(model, load_sensor_set("inverse-dynamics"))).plan;
  CHECK_THROWS_AS(make_solver(model, load_sensor_set("forward-dynamics"), other), PlanMismatch);
  CHECK_THROWS_AS(make_solver(model, weighed_set()), NoPlan);
  CHECK_THROWS_AS(make_estimator(model, weighed_set(), other), PlanMismatch);
}

TEST_CASE("One call makes an estimator from a stored plan, and its answers are those of the plan that was searched") {
  const Model model = arm();
  const auto system = std::make_shared<const System>(model, weighed_set());
  const auto searched = plan_estimator(*system);
  EstimatorOptions options;
  options.outputs = {"ddq", "tau"};
  Estimator expected(system, searched, options);
  Estimator stored = make_estimator(model, weighed_set(), stored_plan(*searched), options);

  const ArmState at(model);
  std::vector<double> y(system->inputs().size(), 0.7), a(2 * model.nv), b(2 * model.nv);
  REQUIRE(expected.estimate(at.q.data(), at.v.data(), y.data(), a.data()).ok());
  REQUIRE(stored.estimate(at.q.data(), at.v.data(), y.data(), b.data()).ok());
  CHECK(a == b);
}

TEST_CASE("load_plan gives make_solver the plan of a file, in the formulation that it names") {
  const Model model = arm();
  const SensorSet set = load_sensor_set("forward-dynamics");
  const System system(model, set);
  Solver by_file =
      make_solver(model, set, load_plan(source_folder() + "/patterns/arm-forward-dynamics.json", system), {{"ddq"}});
  check_against_aba(model, by_file);

  const TemporaryFolder folder;
  const Formulation shifted = formulation_named("shifted");
  const System reformulated(model, set, shifted);
  Plan plan = recursive_plan(reformulated).value();
  const std::string path = folder.file("plan.json", plan_to_json(plan, {"arm", "forward-dynamics"}));
  const Plan read = load_plan(path, system);  // whatever the system's own formulation
  CHECK(read.formulation == "shifted");
  CHECK(read.order.rows == plan.order.rows);
  Solver by_shifted = make_solver(model, set, read, {{"ddq"}});
  check_against_aba(model, by_shifted);

  CHECK_THROWS_AS(load_plan(path, System(model, load_sensor_set("inverse-dynamics"))), PlanMismatch);
  CHECK_THROWS_AS(load_plan(folder / "none.json", system), InputError);
}

TEST_CASE("load_plan gives make_estimator the plan of a file") {
  const Model model = arm();
  const System system(model, weighed_set());
  const Plan plan = stored_plan(*plan_estimator(system));
  const TemporaryFolder folder;
  const Plan read = load_plan(folder.file("plan.json", plan_to_json(plan, {"arm", "weighed"})), system);
  CHECK(read.order.rows == plan.order.rows);
  CHECK(read.open_gaps.has_value() == plan.open_gaps.has_value());
  EstimatorOptions options;
  options.outputs = {"ddq"};
  Estimator estimator = make_estimator(model, weighed_set(), read, options);
  const ArmState at(model);
  std::vector<double> y(system.inputs().size(), 0.7), ddq(model.nv);
  CHECK(estimator.estimate(at.q.data(), at.v.data(), y.data(), ddq.data()).ok());
}
