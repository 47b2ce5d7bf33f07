// An estimate beside the dense one of the same system: values and standard deviations of every unknown.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "support/least_squares.hpp"
#include "system/names.hpp"

namespace sparsedyn::test {

struct SampleState {
  std::vector<double> q, v, y;
};

/// A random state, readings of order one.
inline SampleState random_sample(const System& system, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  SampleState s{normal_sample(system.model(), rng), std::vector<double>(system.model().nv),
                std::vector<double>(system.inputs().size())};
  for (double& x : s.v) x = normal(rng);
  for (double& x : s.y) x = normal(rng);
  return s;
}

/// The same estimate, from the dense matrix of the system, by `estimate`: dense_estimate or augmented_estimate. `open`:
/// unknowns that nothing determines, which get next_to_no_precision.
inline DenseEstimate reference(const System& system, const SampleState& s, const std::vector<double>& sigma,
                               decltype(dense_estimate)* estimate = dense_estimate, const std::vector<char>& open = {}) {
  const Pattern& pattern = system.pattern();
  std::vector<double> values(pattern.entries()), y = s.y;
  for (double& x : y) x = std::isnan(x) ? 0.0 : x;
  Eigen::VectorXd b(pattern.rows), weight(pattern.rows), precision = Eigen::VectorXd::Zero(pattern.columns);
  SystemWorkspace<double> work(system);
  system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), b.data(), work);
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(pattern.rows, pattern.columns);
  std::vector<char> exact(pattern.rows);
  for (int r = 0; r < pattern.rows; ++r) {
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) Y(r, pattern.column[e]) = values[e];
    const int k = system.equations()[r].measurement;
    exact[r] = sigma[r] == 0;
    weight[r] = exact[r] ? 0 : 1 / sigma[r];
    if (k < 0) continue;
    const Measurement& m = system.measurements()[k];
    const int input = m.inputs[r - m.first_row];
    if (input >= 0 && std::isnan(s.y[input])) exact[r] = 0, weight[r] = 0;  // exact rows may be missing, too
  }
  for (int j = 0; j < pattern.columns; ++j) {
    const auto prior = system.sensors().prior.find(kind_name(system.unknowns()[j].kind));
    if (prior != system.sensors().prior.end()) precision[j] = 1 / (prior->second * prior->second);
    if (!open.empty() && open[static_cast<std::size_t>(j)]) precision[j] = std::max(precision[j], next_to_no_precision);
  }
  return estimate(Y, b, exact, weight, precision);
}

inline std::vector<double> sigmas(const Estimator& estimator) {
  std::vector<double> sigma(estimator.system().pattern().rows);
  for (std::size_t r = 0; r < sigma.size(); ++r) sigma[r] = estimator.sigma(static_cast<int>(r));
  return sigma;
}

inline void check_against_reference(Estimator& estimator, const SampleState& s) {
  const System& system = estimator.system();
  std::vector<double> out(estimator.output_columns().size());
  const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
  INFO(estimator.describe(status));
  REQUIRE(status.ok());
  CHECK(status.backward_error < 1e-12);
  const DenseEstimate dense = reference(system, s, sigmas(estimator));
  for (int j = 0; j < system.pattern().columns; ++j) {
    INFO(system.unknown_names()[j]);
    CHECK(std::abs(out[j] - dense.x[j]) <= 1e-9 * std::max(1.0, std::abs(dense.x[j])));
    CHECK(std::abs(estimator.standard_deviations()[j] - std::sqrt(std::max(0.0, dense.covariance(j, j)))) <=
          1e-8 * std::max(1.0, std::sqrt(std::max(0.0, dense.covariance(j, j)))));
  }
}

/// A plan whose health is sampled at few states: tests measure it themselves.
inline std::shared_ptr<const EstimatorPlan> quick_plan(const System& system, const std::vector<char>& left_out = {}) {
  OptimiseOptions options;
  options.health_states = 20;
  options.umfpack_states = 1;
  return plan_estimator(system, left_out, options);
}

/// All unknowns, with their deviations.
inline EstimatorOptions with_deviations() {
  EstimatorOptions options;
  options.standard_deviations = true;
  return options;
}

}  // namespace sparsedyn::test
