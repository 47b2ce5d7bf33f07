// Covariances of pairs of outputs by name: of a set, and of the last sample.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "runtime/redundant_set.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/search.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

SensorSolverOptions with_deviations() {
  SensorSolverOptions options;
  options.outputs = {"tau"}, options.deviations = true;
  options.plans = searched_plans();
  return options;
}

}  // namespace

TEST_CASE("pairs of a set are columns beside deviations") {
  const Model model = test::random_tree(3, 2);
  SensorSet set = test::redundant_set(false);
  set.covariances = {{{"tau.joint1"}, {"ddq.joint1"}}, {{"tau.joint1"}, {"tau.joint1"}}};
  SensorSolver solver(model, set, with_deviations());
  const std::vector<std::string>& columns = solver.columns();
  REQUIRE(columns.size() == 8);
  CHECK((columns[6] == "cov.tau.joint1|ddq.joint1" && columns[7] == "cov.tau.joint1|tau.joint1"));
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  std::vector<double> q(3), v(3), y(solver.system().inputs().size()), out(columns.size());
  for (std::vector<double>* part : {&q, &v, &y})
    for (double& x : *part) x = normal(rng);
  REQUIRE(solver.solve(q.data(), v.data(), y.data(), out.data()).ok);
  const std::size_t sd = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "sd.tau.joint1") - columns.begin());
  CHECK(out[7] == Approx(out[sd] * out[sd]).epsilon(1e-10));
  const std::vector<double> asked = solver.covariance({{"ddq.joint1", "tau.joint1"}, {"tau.joint1", "ddq.joint1"}});
  CHECK(asked[0] == Approx(out[6]).epsilon(1e-9));
  CHECK(asked[1] == Approx(out[6]).epsilon(1e-12));
  CHECK(std::abs(out[6]) > 1e-12);
  CHECK_THROWS_AS(solver.covariance({{"tau.elbw", "tau.joint1"}}), UnknownOutput);

  SensorSolverOptions plain = with_deviations();
  plain.deviations = false;
  CHECK(SensorSolver(model, set, plain).columns().size() == 3);  // no deviations, no covariances
}

TEST_CASE("a set's pairs are read with their lines, and refused where they are none") {
  const std::string sensors = R"("sensors": [{"name": "t", "type": "joint_torque", "joint": "*", "sigma": 1},
    {"name": "a", "type": "joint_acceleration", "joint": "*", "sigma": 1},
    {"name": "w", "type": "external_wrench", "link": "*", "value": 0}])";
  const SensorSet set = parse_sensor_set("{" + sensors + ",\n \"cov\": [[\"tau.joint1\",\n \"tau.elbw\"]]}", "set.json");
  REQUIRE(set.covariances.size() == 1);
  CHECK((set.covariances[0].first.name == "tau.joint1" && set.covariances[0].second.line == 5));
  CHECK_THROWS_WITH(SensorSolver(test::random_tree(3, 2), set, with_deviations()), Catch::Contains("set.json:5: cov"));
  CHECK_THROWS_WITH(parse_sensor_set("{" + sensors + ", \"cov\": [[\"tau.joint1\"]]}", "set.json"),
                    Catch::Contains("two outputs"));
  CHECK_THROWS_WITH(parse_sensor_set("{" + sensors + ", \"cov\": [[\"tau.joint1\", 3]]}", "set.json"),
                    Catch::Contains("set.json:3"));
}

TEST_CASE("sensors that are solved exactly have no covariances") {
  SensorSolverOptions options;
  options.outputs = {"tau"};
  SensorSet set;
  set.sensors = {test::sensor("a", "joint_acceleration", {}), test::sensor("w", "external_wrench", {})};
  SensorSolver solver(test::random_tree(3, 2), set, options);
  CHECK_THROWS_AS(solver.covariance({{"tau.joint1", "tau.joint1"}}), std::logic_error);
}
