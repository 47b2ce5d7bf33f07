// Offsets in estimates at states that no planned order serves, beside singular values of the whole problem.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "arm_beside.hpp"
#include "dense_truth.hpp"
#include "sparsedyn/logs/log_estimator.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// As often as the estimator goes through a log.
void learn(LogEstimator& estimator, const std::vector<SampleState>& log) {
  while (estimator.learning()) {
    estimator.begin();
    for (const SampleState& s : log) {
      const Estimator::Inputs inputs{s.q.data(), s.v.data(), s.y.data()};
      estimator.learn(&inputs, 1);
    }
    estimator.end();
  }
}

/// The arm whose motors have offsets; with a reading of the force across the last link, logs tell these.
System biased_arm(bool force_read = false) {
  const System plain = arm_beside({"j1", "j2", "j3"}, 0.1);
  SensorSet set = plain.sensors();
  set.sensors[1].bias = true;
  if (force_read) set.sensors.push_back(sensor_on("external_wrench", {"l3"}, 0.5, {"fy"}));
  return System(plain.model(), set);
}

SampleState sample(const System& system, const std::vector<double>& q, unsigned seed) {
  std::mt19937 rng(seed);
  SampleState s = random_sample(system, rng);
  if (!q.empty()) s.q = q;
  return s;
}

std::vector<int> biased_rows(const System& system) {
  std::vector<int> rows;
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows() && system.sensors().sensors[m.sensor].bias; ++k) rows.push_back(m.first_row + k);
  return rows;
}

int input_of_row(const System& system, int row) {
  const Measurement& m = system.measurements()[system.equations()[row].measurement];
  return m.inputs[row - m.first_row];
}

/// How what a sample tells follows the readings of some rows: they are affine, and moved by one.
struct Responses {
  DenseTruth at;
  Eigen::MatrixXd x, residual;  // unknowns, all rows × the rows moved
};
Responses responses(const System& system, const SampleState& s, const std::vector<int>& rows) {
  const std::vector<double> sigma = sigmas_of(system);
  Responses found{truth(system, s, sigma), Eigen::MatrixXd(system.pattern().columns, rows.size()),
                  Eigen::MatrixXd(system.pattern().rows, rows.size())};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    SampleState moved = s;
    moved.y[input_of_row(system, rows[k])] += 1;
    const DenseTruth there = truth(system, moved, sigma);
    found.x.col(column) = there.x - found.at.x;
    for (std::size_t r = 0; r < there.residual.size(); ++r)
      found.residual(static_cast<Eigen::Index>(r), column) = there.residual[r] - found.at.residual[r];
  }
  return found;
}

/// With offsets of that covariance, and one direction that nothing tells, or none.
void check(const System& system, const SampleState& s, const Eigen::MatrixXd& covariance, const Eigen::VectorXd& open,
           bool learnt) {
  const std::vector<int> rows = biased_rows(system);
  const std::vector<double> sigma = sigmas_of(system);
  TakenOff off{rows, {0.3, -0.2, 0.7}, {covariance.data(), covariance.data() + covariance.size()}, {}};
  if (open.size() > 0) off.open.assign(open.data(), open.data() + open.size());
  SampleState corrected = s;
  for (std::size_t k = 0; k < rows.size(); ++k) corrected.y[input_of_row(system, rows[k])] -= off.value[k];
  const Responses expected = responses(system, corrected, rows);
  const Outputs outputs(system, {});
  const StateEstimate found = estimate_at_state(system, outputs, sigma, s.q.data(), s.v.data(), s.y.data(), off, learnt);
  REQUIRE(found.contradicting.empty());
  for (int j = 0; j < system.pattern().columns; ++j) {
    INFO(system.unknown_names()[j]);
    const Eigen::VectorXd t = expected.x.row(j).transpose();
    const bool follows = open.size() > 0 && std::abs(t.dot(open)) > 1e-6 * expected.at.deviation[j] && t.norm() > 1e-9;
    CHECK((found.determined[j] != 0) == (expected.at.determined[j] && !follows));
    if (!found.determined[j]) CHECK((std::isnan(found.outputs[j]) && std::isnan(found.deviations[j])));
    if (expected.at.determined[j]) CHECK((found.follows_open_offset[j] != 0) == follows);
    if (!found.determined[j]) continue;
    const double deviation = std::sqrt(std::pow(expected.at.deviation[j], 2) + t.dot(covariance * t));
    CHECK(std::abs(found.outputs[j] - expected.at.x[j]) <= 1e-10 * std::max(1.0, std::abs(expected.at.x[j])));
    CHECK(std::abs(found.deviations[j] - deviation) <= 1e-9 * std::max(1.0, deviation));
  }
  bool judged = true;
  for (const int row : rows)
    judged = judged && (learnt || open.size() == 0 || std::abs(expected.residual.row(row).dot(open)) < 1e-6);
  CHECK(std::abs(found.chi_square - (judged ? expected.at.chi_square : 0)) <= 1e-9 * std::max(1.0, found.chi_square));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Eigen::VectorXd t = expected.residual.row(rows[k]).transpose();
    const double own = sigma[rows[k]] * t[static_cast<Eigen::Index>(k)], offsets = t.dot(covariance * t),
                 variance = own + (learnt ? -offsets : offsets);
    INFO(system.equation_names()[rows[k]] << ", variance " << variance);
    if (judged && variance > 1e-3)
      CHECK(found.innovations[rows[k]] == Approx(expected.at.residual[rows[k]] / std::sqrt(variance)).epsilon(1e-8));
    else
      CHECK(found.innovations[rows[k]] == 0);
    for (std::size_t l = 0; l < rows.size(); ++l)
      CHECK(found.information[k * rows.size() + l] == Approx(t[static_cast<Eigen::Index>(l)] / sigma[rows[k]]).margin(1e-9));
  }
}

/// Of three offsets, small beside what residuals have of the readings' own noise.
Eigen::MatrixXd some_covariance() {
  Eigen::MatrixXd root(3, 3);
  root << 0.02, 0, 0, -0.01, 0.03, 0, 0.015, 0.01, 0.01;
  return root * root.transpose();
}

const std::vector<std::vector<double>> postures{{}, {0, 0, 0, 0}, {0.4, 0, 0, 1}, {0.4, 0.5, 0, 1}};

}  // namespace

TEST_CASE("offsets' covariance enters deviations and innovations at a state, whatever it determines") {
  const System system = biased_arm();
  for (const bool learnt : {true, false})
    for (std::size_t k = 0; k < postures.size(); ++k) {
      INFO("posture " << k);
      check(system, sample(system, postures[k], 3), some_covariance(), {}, learnt);
      check(system, sample(system, postures[k], 4), Eigen::MatrixXd::Zero(3, 3), {}, learnt);
    }
}

TEST_CASE("what depends on a direction of the offsets that nothing tells is not determined at a state") {
  const System system = biased_arm();
  for (const bool learnt : {true, false})
    for (const std::vector<double>& along : {std::vector<double>{0.1, 0, 0}, {0.05, -0.1, 0.02}})
      for (std::size_t k = 0; k < postures.size(); ++k) {
        INFO("posture " << k << ", along " << along[0] << " " << along[1] << " " << along[2]);
        const Eigen::VectorXd open = Eigen::Map<const Eigen::VectorXd>(along.data(), 3);
        check(system, sample(system, postures[k], 5), some_covariance(), open, learnt);
      }
}

TEST_CASE("a log's offsets come from samples at singular states, too, as in one dense problem") {
  const auto system = std::make_shared<const System>(biased_arm(true));
  std::vector<SampleState> log;
  for (unsigned k = 0; k < 6; ++k) log.push_back(sample(*system, postures[k % 4], 20 + k));
  const std::vector<int> rows = biased_rows(*system);
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(3, 3);
  Eigen::VectorXd moment = Eigen::VectorXd::Zero(3);
  std::vector<Responses> each;
  for (const SampleState& s : log) {
    each.push_back(responses(*system, s, rows));
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double weight = 1 / sigmas_of(*system)[rows[static_cast<std::size_t>(k)]];
      information.row(k) += weight * each.back().residual.row(rows[static_cast<std::size_t>(k)]);
      moment[k] += weight * each.back().at.residual[rows[static_cast<std::size_t>(k)]];
    }
  }
  const Eigen::MatrixXd covariance = information.inverse();
  const Eigen::VectorXd offsets = covariance * moment;

  EstimatorOptions options;
  options.standard_deviations = true;
  LogEstimator estimator(system, plan_estimator(*system), options);
  std::vector<double> out(estimator.estimator().output_columns().size());
  int at_state = 0;
  learn(estimator, log);
  CHECK(estimator.samples_learnt() == 6);
  CHECK(estimator.samples_passed_over() == 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    REQUIRE(estimator.offsets().determined[k]);
    CHECK(estimator.offsets().value[k] == Approx(offsets[at]).epsilon(1e-8));
    CHECK(estimator.offsets().standard_deviation[k] == Approx(std::sqrt(covariance(at, at))).epsilon(1e-8));
  }
  const Outputs outputs(*system, {});
  for (std::size_t i = 0; i < log.size(); ++i) {
    INFO("sample " << i);
    const SampleState& s = log[i];
    const bool ok = estimator.estimate({s.q.data(), s.v.data(), s.y.data()}, 1, out.data()).ok();
    at_state += !ok;
    const StateEstimate found = estimate_at_state(*system, outputs, sigmas_of(*system), s.q.data(), s.v.data(), s.y.data(),
                                                  estimator.estimator().offsets());
    for (int j = 0; j < system->pattern().columns; ++j) {
      CHECK((found.determined[j] != 0) == each[i].at.determined[j]);
      if (!found.determined[j]) continue;
      const Eigen::VectorXd t = each[i].x.row(j).transpose();
      const double value = each[i].at.x[j] - t.dot(offsets),
                   deviation = std::sqrt(std::pow(each[i].at.deviation[j], 2) + t.dot(covariance * t));
      CHECK(std::abs(found.outputs[j] - value) <= 1e-8 * std::max(1.0, std::abs(value)));
      CHECK(std::abs(found.deviations[j] - deviation) <= 1e-8 * std::max(1.0, deviation));
      if (!ok || !estimator.estimator().determined(j)) continue;
      CHECK(std::abs(out[j] - value) <= 1e-8 * std::max(1.0, std::abs(value)));
      CHECK(std::abs(estimator.estimator().standard_deviations()[j] - deviation) <= 1e-7 * std::max(1.0, deviation));
    }
  }
  CHECK(at_state >= 2);
}

TEST_CASE("outliers are bounded in what samples at singular states say of the offsets") {
  const auto system = std::make_shared<const System>(biased_arm(true));
  const std::vector<int> rows = biased_rows(*system);
  const double truth[] = {0.4, -0.3, 0.2};
  std::mt19937 rng(9);
  std::normal_distribution<double> normal;
  std::vector<double> out;
  std::vector<SampleState> log;
  for (unsigned k = 0; k < 60; ++k) {  // stretched out, but for the first few; readings agree with each other, less noise
    SampleState s = sample(*system, k > 5 ? postures[1] : std::vector<double>{}, 80 + k);
    const DenseTruth at = test::truth(*system, s, sigmas_of(*system));
    for (const Measurement& m : system->measurements())
      for (int c = 0; c < m.rows(); ++c)
        if (m.sigma[c] > 0) s.y[m.inputs[c]] += m.sigma[c] * (normal(rng) - at.residual[m.first_row + c]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      s.y[input_of_row(*system, rows[i])] += truth[i] + (i == 1 && k % 6 == 3 ? 20 : 0);
    log.push_back(s);
  }
  double error[2];
  for (const bool robust : {false, true}) {
    EstimatorOptions options;
    options.huber = robust ? 3 : 0;
    LogEstimator estimator(system, plan_estimator(*system), options);
    learn(estimator, log);
    CHECK(estimator.samples_learnt() == 60);
    CHECK(estimator.samples_passed_over() == 0);
    error[robust] = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(estimator.offsets().determined[i]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      error[robust] = std::max(error[robust], std::abs(estimator.offsets().value[i] - truth[i]));
  }
  CHECK(error[true] < 0.25 * error[false]);
  CHECK(error[true] < 0.3);
}

TEST_CASE("samples that contradict themselves are passed over, and counted") {
  const System plain = arm_beside({"j1", "j2"}, 0);
  SensorSet set = plain.sensors();
  set.sensors.push_back(sensor_on("joint_torque", {"j3"}, 0.1));
  set.sensors.back().bias = true;
  const auto system = std::make_shared<const System>(plain.model(), set);
  LogEstimator estimator(system, plan_estimator(*system), {});
  REQUIRE(estimator.learning());
  estimator.begin();
  for (unsigned k = 0; k < 6; ++k) {
    const SampleState s = sample(*system, k % 3 == 1 ? postures[2] : std::vector<double>{}, 40 + k);
    const Estimator::Inputs inputs{s.q.data(), s.v.data(), s.y.data()};
    estimator.learn(&inputs, 1);
  }
  estimator.end();
  CHECK(estimator.samples_learnt() == 4);
  CHECK(estimator.samples_passed_over() == 2);
}

TEST_CASE("offsets of exact readings are exactly zero") {
  const auto system = std::make_shared<const System>(biased_arm(true));
  Estimator estimator(system, plan_estimator(*system), {});
  SensorOffsets offsets(estimator);
  std::vector<double> out(estimator.output_columns().size());
  for (unsigned k = 0; k < 40; ++k) {
    SampleState s = sample(*system, {}, 60 + k);
    REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
    for (const Measurement& m : system->measurements())  // what the estimate makes of the readings agrees with itself
      for (int c = 0; c < m.rows(); ++c)
        if (m.sigma[c] > 0) s.y[m.inputs[c]] -= estimator.residual(m.first_row + c) * m.sigma[c];
    REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
    offsets.add();
  }
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(offsets.result().determined[k]);
    CHECK(offsets.result().value[k] == 0);
  }
}
