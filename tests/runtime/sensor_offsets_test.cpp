#include "sparsedyn/runtime/sensor_offsets.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "support/least_squares.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using sparsedyn::test::on_all;

namespace {

SensorSet torques_and_accelerations(bool both_biased) {
  SensorSet set;
  set.name = "biased";
  set.sensors = {on_all("motors", "joint_torque", 0.2, true), on_all("encoders", "joint_acceleration", 0.05, both_biased),
                 on_all("air", "external_wrench", 0)};
  return set;
}

}  // namespace

TEST_CASE("offsets are those of one dense problem over the whole log") {
  const auto system = std::make_shared<const System>(test::random_tree(3, 17), torques_and_accelerations(false));
  Estimator estimator(system, plan_estimator(*system), {});
  SensorOffsets biases(estimator);
  REQUIRE(biases.names() == std::vector<std::string>{"y.motors.joint1", "y.motors.joint2", "y.motors.joint3"});

  const Pattern& p = system->pattern();
  const Model& model = system->model();
  const int samples = 5, m = p.rows, n = p.columns, offsets = 3;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(samples * m, samples * n + offsets);
  Eigen::VectorXd right(samples * m), weight(samples * m);
  std::vector<char> exact(samples * m);
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  SystemWorkspace<double> work(*system);
  for (int s = 0; s < samples; ++s) {
    const std::vector<double> q = normal_sample(model, rng);
    std::vector<double> v(model.nv), y(system->inputs().size()), values(p.entries()), b(m),
        out(estimator.output_columns().size());
    for (double& x : v) x = normal(rng);
    for (double& x : y) x = normal(rng);
    REQUIRE(estimator.estimate(q.data(), v.data(), y.data(), out.data()).ok());
    biases.add();
    system->assemble(q.data(), v.data(), y.data(), values.data(), b.data(), work);
    for (int r = 0; r < m; ++r) {
      const int row = s * m + r;
      exact[row] = estimator.sigma(r) == 0;
      weight[row] = exact[row] ? 0 : 1 / estimator.sigma(r);
      for (int e = p.row_start[r]; e < p.row_start[r + 1]; ++e) all(row, s * n + p.column[e]) = values[e];
      right[row] = b[r];
      for (int k = 0; k < offsets; ++k)
        if (system->equation_names()[r] == biases.names()[k]) all(row, samples * n + k) = 1;
    }
  }
  const test::DenseEstimate reference =
      test::dense_estimate(all, right, exact, weight, Eigen::VectorXd::Zero(samples * n + offsets));
  const LearntOffsets result = biases.result();
  for (int k = 0; k < offsets; ++k) {
    REQUIRE(result.determined[k]);
    const int column = samples * n + k;
    CHECK(result.value[k] == Approx(reference.x[column]).epsilon(1e-9).margin(1e-9));
    CHECK(result.standard_deviation[k] == Approx(std::sqrt(reference.covariance(column, column))).epsilon(1e-8));
  }
}

TEST_CASE("a known offset is found within its deviation") {
  const auto system = std::make_shared<const System>(test::random_tree(3, 23), torques_and_accelerations(false));
  Estimator estimator(system, plan_estimator(*system), {});
  SensorOffsets biases(estimator);
  std::mt19937 rng(8);
  std::normal_distribution<double> normal;
  const double offset[] = {0.7, -0.3, 0.1};
  std::vector<double> out(estimator.output_columns().size());
  for (int s = 0; s < 400; ++s) {
    const std::vector<double> q = normal_sample(system->model(), rng), v(system->model().nv, 0.5);
    std::vector<double> y(system->inputs().size());
    for (double& x : y) x = normal(rng);
    REQUIRE(estimator.estimate(q.data(), v.data(), y.data(), out.data()).ok());  // consistent readings …
    const std::vector<double> truth = out;
    for (int k = 0; k < 3; ++k) {
      y[k] = truth[system->tau_column(k)] + offset[k] + 0.2 * normal(rng);  // … then noise, and the offsets
      y[3 + k] = truth[system->ddq_column(k)] + 0.05 * normal(rng);
    }
    REQUIRE(estimator.estimate(q.data(), v.data(), y.data(), out.data()).ok());
    biases.add();
  }
  const LearntOffsets result = biases.result();
  for (int k = 0; k < 3; ++k) {
    CHECK(result.standard_deviation[k] < 0.05);
    CHECK(std::abs(result.value[k] - offset[k]) < 4 * result.standard_deviation[k]);
  }
}

TEST_CASE("an offset that nothing checks is undetermined") {
  SensorSet set = torques_and_accelerations(false);
  set.sensors.erase(set.sensors.begin() + 1);
  const auto system = std::make_shared<const System>(test::random_tree(2, 5), set);
  Estimator estimator(system, plan_estimator(*system), {});
  SensorOffsets biases(estimator);
  const std::vector<double> q(system->model().nq, 0.3), v(system->model().nv, 0.1), y(system->inputs().size(), 1.0);
  std::vector<double> out(estimator.output_columns().size());
  REQUIRE(estimator.estimate(q.data(), v.data(), y.data(), out.data()).ok());
  biases.add();
  const LearntOffsets result = biases.result();
  CHECK_FALSE(result.determined[0]);
  CHECK_FALSE(result.determined[1]);
}
