// Readings that disagree: bounded, left out, named; offsets taken off; deviations that change by name.
#include <Eigen/QR>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "redundant_set.hpp"
#include "reference.hpp"
#include "runtime/chi_square.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/runtime/sensor_offsets.hpp"
#include "support/heap.hpp"
#include "support/least_squares.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using test::random_sample;
using test::redundant_set;
using test::with_deviations;
using State = test::SampleState;

namespace {

/// Torques and accelerations twice, so that every reading has a redundancy of at least a half.
SensorSet doubled_set(bool biased = false) {
  SensorSet set = redundant_set(false);
  set.sensors.resize(2);
  for (const char* name : {"motors", "encoders"}) {
    Sensor other = set.sensors[name == std::string("encoders")];
    other.name = std::string("other ") + name;
    set.sensors.push_back(other);
  }
  Sensor air = test::sensor("air", "external_wrench", {});
  air.value = {0.0};
  set.sensors.push_back(air);
  set.sensors[0].bias = biased;
  return set;
}

struct Problem {
  Eigen::MatrixXd Y;
  Eigen::VectorXd b, weight;
  std::vector<char> exact;
};

Problem dense(const System& system, const Estimator& estimator, const State& s) {
  const Pattern& p = system.pattern();
  std::vector<double> values(p.entries()), right(p.rows);
  SystemWorkspace<double> work(system);
  system.assemble(s.q.data(), s.v.data(), s.y.data(), values.data(), right.data(), work);
  Problem made{Eigen::MatrixXd::Zero(p.rows, p.columns), Eigen::Map<Eigen::VectorXd>(right.data(), p.rows),
               Eigen::VectorXd::Zero(p.rows), std::vector<char>(p.rows, 0)};
  for (int r = 0; r < p.rows; ++r) {
    made.exact[r] = estimator.sigma(r) == 0;
    made.weight[r] = made.exact[r] ? 0 : 1 / estimator.sigma(r);
    for (int e = p.row_start[r]; e < p.row_start[r + 1]; ++e) made.Y(r, p.column[e]) = values[e];
  }
  return made;
}

Eigen::VectorXd solved(const Problem& p, const Eigen::VectorXd& weight) {
  return test::dense_estimate(p.Y, p.b, p.exact, weight, Eigen::VectorXd::Zero(p.Y.cols())).x;
}

/// A sample whose readings agree but for noise.
State consistent_sample(const System& system, Estimator& estimator, std::mt19937& rng) {
  State s = random_sample(system, rng);
  std::vector<double> out(estimator.output_columns().size());
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  std::normal_distribution<double> normal;
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0) s.y[m.inputs[k]] -= m.sigma[k] * (estimator.residual(m.first_row + k) - normal(rng));
  return s;
}

}  // namespace

TEST_CASE("quantiles of chi-square are those of the tables") {
  CHECK(chi_square_quantile(0.05, 1) == Approx(3.841458820694124).epsilon(1e-10));
  CHECK(chi_square_quantile(0.01, 10) == Approx(23.20925115895436).epsilon(1e-10));
  CHECK(chi_square_quantile(1e-6, 15) == Approx(56.49338).epsilon(1e-4));
  CHECK(chi_square_quantile(0.5, 2) == Approx(2 * std::log(2.0)).epsilon(1e-10));
  CHECK(chi_square_quantile(1e-6, 2) == Approx(-2 * std::log(1e-6)).epsilon(1e-10));
  CHECK(std::isinf(chi_square_quantile(1e-6, 0)));
}

TEST_CASE("huber's estimate is the dense one with huber's weights of its own residuals") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), doubled_set());
  const auto plan = plan_estimator(*system);
  EstimatorOptions options;
  options.huber = 1.5;
  Estimator estimator(system, plan, options), plain(system, plan, {});
  std::mt19937 rng(4);
  for (int trial = 0; trial < 4; ++trial) {
    State s = consistent_sample(*system, plain, rng);
    for (int k = 0; k < trial; ++k) s.y[system->measurements()[static_cast<std::size_t>(k)].inputs[0]] += 40.0 * (k + 1);
    std::vector<double> out(estimator.output_columns().size());
    const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
    REQUIRE(status.ok());
    CHECK(status.reweighted >= trial);
    CHECK(status.outlier == (trial > 0));
    const Problem p = dense(*system, estimator, s);
    Eigen::VectorXd weight = p.weight;
    for (int k = 0; k < 400; ++k) {  // an IRLS of its own, from the plain estimate
      const Eigen::VectorXd x = solved(p, weight), residual = p.weight.cwiseProduct(p.b - p.Y * x);
      for (Eigen::Index r = 0; r < weight.size(); ++r)
        weight[r] = p.weight[r] * std::sqrt(std::min(1.0, options.huber / std::max(std::abs(residual[r]), 1e-300)));
    }
    const Eigen::VectorXd x = solved(p, weight);
    for (Eigen::Index j = 0; j < x.size(); ++j)
      CHECK(std::abs(estimator.unknowns()[j] - x[j]) < 1e-6 * std::max(1.0, std::abs(x[j])));
  }
}

/// How far x is from the minimum of Huber's sum where the exact rows hold: what they leave of its gradient Yᵀ W ψ(r), beside
/// the largest of its terms.
double huber_gradient(const Problem& p, const Eigen::VectorXd& x, double threshold) {
  const Eigen::VectorXd pull = p.weight.cwiseProduct(p.b - p.Y * x).cwiseMax(-threshold).cwiseMin(threshold);
  const Eigen::MatrixXd terms = p.weight.cwiseProduct(pull).asDiagonal() * p.Y;
  const Eigen::VectorXd gradient = terms.colwise().sum().transpose();
  const auto exact = std::count(p.exact.begin(), p.exact.end(), 1);
  Eigen::MatrixXd E(exact, p.Y.cols());
  for (Eigen::Index r = 0, k = 0; r < p.Y.rows(); ++r)
    if (p.exact[static_cast<std::size_t>(r)]) E.row(k++) = p.Y.row(r);
  const Eigen::MatrixXd along = E.transpose();
  return (gradient - along * along.colPivHouseholderQr().solve(gradient)).lpNorm<Eigen::Infinity>() /
         terms.lpNorm<Eigen::Infinity>();
}

TEST_CASE("huber's estimate is the minimum for spikes of all sizes in sharp and blunt sensors") {
  SensorSet set = doubled_set();
  set.sensors[2].sigma = {0.003}, set.sensors[3].sigma = {5.0};  // the motors' twin is sharper, the encoders' blunter
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), set);
  const auto plan = plan_estimator(*system);
  EstimatorOptions options;
  options.huber = 1.5;
  Estimator estimator(system, plan, options), plain(system, plan, {});
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<double> out(estimator.output_columns().size());
  for (int trial = 0; trial < 60; ++trial) {
    State s = consistent_sample(*system, plain, rng);
    for (int k = 0; k < 1 + trial % 8; ++k) {
      const auto& all = system->measurements();
      const Measurement& m = all[rng() % all.size()];
      const int row = static_cast<int>(rng() % static_cast<unsigned>(m.rows()));
      if (m.inputs[row] >= 0 && m.sigma[row] > 0)
        s.y[m.inputs[row]] += m.sigma[row] * std::copysign(std::pow(10.0, 2 + 2 * unit(rng)), unit(rng));
    }
    const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
    INFO("trial " << trial << ", " << status.reweighted << " readings count less");
    REQUIRE(status.ok());
    CHECK(status.unsettled == 0);
    const Eigen::Map<const Eigen::VectorXd> x(estimator.unknowns(), system->pattern().columns);
    CHECK(huber_gradient(dense(*system, estimator, s), x, options.huber) < 1e-8);
  }
}

TEST_CASE("an outlier is named - a gate leaves it out") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), doubled_set());
  const auto plan = plan_estimator(*system);
  EstimatorOptions options = with_deviations();
  options.gate = true;
  Estimator gated(system, plan, options), plain(system, plan, with_deviations());
  std::mt19937 rng(5);
  State s = consistent_sample(*system, plain, rng);
  const Measurement& m = system->measurements()[1];
  s.y[m.inputs[0]] += 50 * m.sigma[0];
  std::vector<double> out(gated.output_columns().size()), expected(out);
  const EstimateStatus status = gated.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
  REQUIRE(status.ok());
  CHECK((status.outlier && status.reweighted == 1 && status.missing == 0));
  CHECK(gated.leave_out_suspects() == std::vector<int>{m.first_row});
  REQUIRE(plain.estimate(s.q.data(), s.v.data(), s.y.data(), expected.data()).outlier);
  CHECK(plain.suspect() == m.first_row);
  CHECK(plain.leave_out_suspects() == std::vector<int>{m.first_row});
  s.y[m.inputs[0]] = std::nan("");
  REQUIRE(plain.estimate(s.q.data(), s.v.data(), s.y.data(), expected.data()).ok());
  for (std::size_t c = 0; c < out.size(); ++c) CHECK(out[c] == Approx(expected[c]).epsilon(1e-9).margin(1e-9));
  CHECK(gated.standard_deviations().front() == Approx(plain.standard_deviations().front()).epsilon(1e-9));
}

TEST_CASE("estimates with offsets taken off are those of one dense problem over the whole log") {
  const auto system = std::make_shared<const System>(test::random_tree(3, 17), doubled_set(true));
  const auto plan = plan_estimator(*system);
  EstimatorOptions options = with_deviations();
  options.innovations = true;
  options.in_batches = true;
  Estimator learner(system, plan, {}), estimator(system, plan, options);
  SensorOffsets offsets(learner);
  const Pattern& p = system->pattern();
  const int samples = 5, m = p.rows, n = p.columns, count = static_cast<int>(offsets.rows().size());
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(samples * m, samples * n + count);
  Eigen::VectorXd right(samples * m), weight(samples * m);
  std::vector<char> exact(samples * m);
  std::mt19937 rng(3);
  std::vector<State> states;
  std::vector<double> out(learner.output_columns().size());
  for (int s = 0; s < samples; ++s) {
    states.push_back(random_sample(*system, rng));
    const State& at = states.back();
    REQUIRE(learner.estimate(at.q.data(), at.v.data(), at.y.data(), out.data()).ok());
    offsets.add();
    const Problem one = dense(*system, learner, at);
    all.block(s * m, s * n, m, n) = one.Y;
    right.segment(s * m, m) = one.b, weight.segment(s * m, m) = one.weight;
    for (int r = 0; r < m; ++r) exact[s * m + r] = one.exact[r];
    for (int k = 0; k < count; ++k) all(s * m + offsets.rows()[k], samples * n + k) = 1;
  }
  const test::DenseEstimate reference = test::dense_estimate(all, right, exact, weight, Eigen::VectorXd::Zero(all.cols()));
  const Eigen::VectorXd residual = right - all * reference.x;
  estimator.take_off(offsets.result().taken_off);
  std::vector<Estimator::Inputs> inputs;
  for (const State& s : states) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
  for (const bool together : {false, true}) {
    if (together) estimator.prepare(inputs.data(), samples);
    for (int s = 0; s < samples; ++s) {
      const State& at = states[s];
      REQUIRE((together ? estimator.take(s, out.data()) : estimator.estimate(at.q.data(), at.v.data(), at.y.data(), out.data()))
                  .ok());
      for (int j = 0; j < n; ++j) {
        const int column = s * n + j;
        CHECK(out[j] == Approx(reference.x[column]).epsilon(1e-8).margin(1e-8));
        CHECK(estimator.standard_deviations()[j] ==
              Approx(std::sqrt(std::max(0.0, reference.covariance(column, column)))).epsilon(1e-7).margin(1e-8));
      }
      for (int r = 0; r < m; ++r) {
        if (weight[s * m + r] == 0) continue;
        const Eigen::VectorXd row = all.row(s * m + r).transpose();
        const double w = weight[s * m + r], variance = 1 - w * w * row.dot(reference.covariance * row);
        if (variance > 1e-6)
          CHECK(estimator.innovations()[r] == Approx(w * residual[s * m + r] / std::sqrt(variance)).epsilon(1e-6).margin(1e-7));
      }
    }
  }
}

TEST_CASE("outputs that follow an offset which nothing tells are undetermined, others are not") {
  SensorSet set = redundant_set(false);
  set.sensors[0].bias = set.sensors[1].bias = true;
  const auto system = std::make_shared<const System>(test::random_tree(2, 5), set);
  Estimator learner(system, plan_estimator(*system), {});
  SensorOffsets offsets(learner);
  std::mt19937 rng(1);
  std::vector<double> out(learner.output_columns().size());
  const State s = random_sample(*system, rng);
  for (int k = 0; k < 3; ++k) {  // always the same state: torque and acceleration trade offsets
    REQUIRE(learner.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
    offsets.add();
  }
  const LearntOffsets& found = offsets.result();
  CHECK_FALSE(found.determined[0]);
  CHECK_FALSE(found.taken_off.open.empty());
  Estimator estimator(system, plan_estimator(*system), {});
  estimator.take_off(found.taken_off);
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  CHECK_FALSE(estimator.determined(system->tau_column(0)));
  CHECK(std::isnan(out[system->tau_column(0)]));
  estimator.take_off({});
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  CHECK(estimator.determined(system->tau_column(0)));
}

TEST_CASE("estimates with outliers and offsets allocate no memory") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), doubled_set(true));
  const auto plan = plan_estimator(*system);
  EstimatorOptions options = with_deviations();
  options.huber = 2;
  Estimator robust(system, plan, options);
  options.huber = 0, options.gate = true;
  Estimator gated(system, plan, options);
  SensorOffsets offsets(robust);
  std::mt19937 rng(6);
  State s = random_sample(*system, rng);
  s.y[0] += 30;
  std::vector<double> out(robust.output_columns().size());
  robust.take_off(offsets.result().taken_off);
  const std::vector<double> values = offsets.result().taken_off.value;
  CHECK(test::allocations_of([&] {
          robust.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
          offsets.add();
          robust.set_offsets(values.data());
          robust.leave_out_suspects();
          gated.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
          static_cast<void>(gated.set_sigma("motors", 0.4));
        }) == 0);
}

TEST_CASE("deviations change by the sensor's name or a column's") {
  test::TreeOptions floating;
  floating.floating = true;
  const auto system = std::make_shared<const System>(test::random_tree(3, 2, floating), redundant_set(true));
  Estimator estimator(system, test::quick_plan(*system), {});
  const std::vector<int> motor_rows = estimator.rows("motors");
  REQUIRE(motor_rows.size() == 3);
  CHECK(estimator.set_sigma("motors", 0.2));
  for (int row : motor_rows) CHECK(estimator.sigma(row) == 0.2);
  CHECK(estimator.set_sigma("y.motors.joint2", 0.7));
  CHECK(estimator.sigma(estimator.rows("y.motors.joint2").at(0)) == 0.7);
  CHECK_FALSE(estimator.set_sigma("motor", 0.2));
  CHECK_FALSE(estimator.set_sigma("free", 0.2));  // exact
  CHECK_FALSE(estimator.set_sigma("motors", -1));
  CHECK(estimator.sigma(motor_rows[0]) == 0.2);
  CHECK(estimator.rows("nothing").empty());
  CHECK_THROWS_AS(estimator.take_off({{0}, {1.0}, {}}), std::invalid_argument);
}
