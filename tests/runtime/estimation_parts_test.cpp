// The parts of an estimate without an Estimator: weights, offsets, orders, robust weights and deviations.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "redundant_set.hpp"
#include "reference.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/estimation/huber.hpp"
#include "runtime/estimation/sample_solver.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "sparsedyn/runtime/sensor_offsets.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// A robot with a redundant set, solved sample by sample.
struct Bench {
  Bench()
      : system(test::random_tree(4, 3), test::redundant_set(false)),
        plan(test::quick_plan(system)),
        outputs(system, {}),
        weights(system),
        solver(system, plan, 1e-12, {}, weights, refined,
               {false, &outputs, std::vector<bool>(static_cast<std::size_t>(system.pattern().columns), false), {true, true}}),
        sample(system, plan->augmented, outputs.columns().size()) {}

  SolverStatus solve(const test::SampleState& s) {
    sample.read(system, plan->augmented, offsets.taken_off(), s.q.data(), s.v.data(), s.y.data());
    solver.begin(sample);
    return solver.solve();
  }
  Eigen::VectorXd unknowns() const {
    return Eigen::Map<const Eigen::VectorXd>(sample.solution.data(), system.pattern().columns);
  }

  System system;
  std::shared_ptr<const EstimatorPlan> plan;
  Outputs outputs;
  ReadingWeights weights;
  ReadingOffsets offsets;
  long refined = 0;
  SampleSolver solver;
  EstimatorSample sample;
};

void check_near(const Eigen::VectorXd& x, const Eigen::VectorXd& expected, double bound) {
  REQUIRE(x.size() == expected.size());
  for (Eigen::Index j = 0; j < x.size(); ++j)
    CHECK(std::abs(x[j] - expected[j]) <= bound * std::max(1.0, std::abs(expected[j])));
}

}  // namespace

TEST_CASE("weights, an order and deviations give the dense estimate, without an Estimator") {
  Bench b;
  std::mt19937 rng(2);
  const test::SampleState s = test::random_sample(b.system, rng);
  CHECK(b.weights.set_sigma(b.system.measurements().front().first_row, 2.0));
  CHECK_FALSE(b.weights.set_sigma(0, 2.0));  // an equation of motion
  REQUIRE(b.solve(s).ok());
  const test::DenseEstimate dense = test::reference(b.system, s, b.weights.sigma());
  check_near(b.unknowns(), dense.x, 1e-9);

  Deviations deviations(b.outputs, b.solver.unknowns(), b.solver.rows());
  deviations.find(b.sample, *b.solver.order(), b.solver.refinements(), b.weights, b.offsets, {true, false});
  CHECK(deviations.counts().swept + deviations.counts().solved == 1);
  CHECK(deviations.counts().checked == 1);  // a sigma is not what the set states
  for (int j = 0; j < b.solver.unknowns(); ++j) {
    const double expected = std::sqrt(std::max(0.0, dense.covariance(j, j)));
    CHECK(std::abs(b.sample.deviations[static_cast<std::size_t>(j)] - expected) <= 1e-8 * std::max(1.0, expected));
  }
}

TEST_CASE("offsets are taken off the readings, without an Estimator") {
  Bench b;
  std::mt19937 rng(3);
  test::SampleState s = test::random_sample(b.system, rng);
  const Measurement& motors = b.system.measurements().front();
  b.offsets.take_off({{motors.first_row}, {0.7}, {}}, b.weights);
  REQUIRE(b.solve(s).ok());
  s.y[static_cast<std::size_t>(motors.inputs[0])] -= 0.7;
  check_near(b.unknowns(), test::reference(b.system, s, b.weights.sigma()).x, 1e-9);
  CHECK_THROWS_AS(b.offsets.take_off({{0}, {0.7}, {}}, b.weights), std::invalid_argument);  // an equation of motion
}

/// Huber's estimate is the plain one of readings that are moved to within k deviations of what it predicts.
TEST_CASE("Huber's weights give the plain estimate of bounded readings, without an Estimator") {
  constexpr double k = 1.5;
  Bench b;
  std::mt19937 rng(4);
  test::SampleState s = test::random_sample(b.system, rng);
  for (std::size_t i = 0; i < 2; ++i) s.y[i] += 40;
  EstimateStatus status;
  static_cast<SolverStatus&>(status) = b.solve(s);
  REQUIRE(status.ok());
  HuberEstimate huber(k, b.solver.rows());
  REQUIRE(huber.is_needed(b.solver));
  huber.find(b.solver, status);
  REQUIRE(status.ok());
  CHECK(status.unsettled == 0);
  CHECK(status.reweighted >= 2);

  test::SampleState bounded = s;
  for (const Measurement& m : b.system.measurements())
    for (int i = 0; i < m.rows(); ++i) {
      const int row = m.first_row + i, input = m.inputs[static_cast<std::size_t>(i)];
      if (input < 0 || b.weights[row] == 0) continue;
      const double residual = b.solver.residuals()[row] / b.weights.shares()[static_cast<std::size_t>(row)];
      const double beyond = residual - std::copysign(std::min(std::abs(residual), k), residual);
      bounded.y[static_cast<std::size_t>(input)] -= beyond * b.weights.sigma()[static_cast<std::size_t>(row)];
    }
  check_near(b.unknowns(), test::reference(b.system, bounded, b.weights.sigma()).x, 1e-7);
}

TEST_CASE("what estimates at single states say of offsets adds up to what an Estimator's samples say") {
  SensorSet set = test::redundant_set(false);
  set.sensors.front().bias = true;
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), set);
  Estimator estimator(system, test::quick_plan(*system), {});
  SensorOffsets learner(estimator);
  OffsetEquations equations(learner.rows());
  const std::size_t n = learner.rows().size();
  REQUIRE(n > 1);
  const Outputs outputs(*system, {"tau"});
  const std::vector<double> sigma = test::sigmas(estimator);
  std::vector<double> out(estimator.output_columns().size()), noise;
  for (int row : learner.rows()) noise.push_back(sigma[static_cast<std::size_t>(row)]);
  std::mt19937 rng(6);
  for (int k = 0; k < 10; ++k) {
    const test::SampleState s = test::random_sample(*system, rng);
    REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
    learner.add();
    const StateEstimate found = estimate_at_state(*system, outputs, sigma, s.q.data(), s.v.data(), s.y.data(),
                                                  {learner.rows(), std::vector<double>(n, 0.0), {}});
    equations.add(found.information, found.moment);
  }
  const LearntOffsets& expected = learner.result();
  const LearntOffsets& told = equations.solve(noise);
  for (std::size_t k = 0; k < n; ++k) {
    REQUIRE(expected.determined[k]);
    CHECK(std::abs(told.value[k] - expected.value[k]) <= 1e-9 * std::max(1.0, std::abs(expected.value[k])));
    CHECK(std::abs(told.standard_deviation[k] - expected.standard_deviation[k]) <= 1e-9);
  }
}
