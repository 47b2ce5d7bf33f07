// Cross-validation: what the fit to all other logs leaves of each, sample by sample.
#include "identification/logs/cross_validation.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct LoggedSample {
  State state;
  std::vector<double> tau;
};
using SampledLog = std::vector<LoggedSample>;

/// Torques of the robot itself, and noise.
SampledLog sampled(const Model& model, int samples, double noise, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Workspace<double> work(model);
  SampledLog log;
  for (int k = 0; k < samples; ++k) {
    LoggedSample sample{random_state(model, rng), std::vector<double>(static_cast<std::size_t>(model.nv))};
    rnea(model, work, sample.state.q.data(), sample.state.v.data(), sample.state.a.data(),
         static_cast<const Force<double>*>(nullptr), sample.tau.data());
    for (double& x : sample.tau) x += noise * normal(rng);
    log.push_back(sample);
  }
  return log;
}

void add(RowInformation& rows, const SampledLog& log) {
  for (const LoggedSample& s : log)
    static_cast<TorqueInformation&>(rows).add(s.state.q.data(), s.state.v.data(), s.state.a.data(), s.tau.data(), nullptr);
}

/// Sums of squares by freedom of what is left of a log by these parameters, from the regressor.
std::vector<double> squares_left(const Model& model, const SampledLog& log, const std::vector<double>& pi) {
  std::vector<double> squares(static_cast<std::size_t>(model.nv), 0.0), tau(squares);
  RegressorWorkspace<double> work(model);
  for (const LoggedSample& s : log) {
    regressor_times(model, work, s.state.q.data(), s.state.v.data(), s.state.a.data(), pi.data(), tau.data());
    for (std::size_t i = 0; i < tau.size(); ++i) squares[i] += (s.tau[i] - tau[i]) * (s.tau[i] - tau[i]);
  }
  return squares;
}

}  // namespace

TEST_CASE("Cross-validation leaves what the fit to the other logs leaves, log by log and of all rows together") {
  const Model model = random_tree(3, 5);
  std::mt19937 rng(7);
  const std::vector<SampledLog> samples{sampled(model, 200, 0.1, rng), sampled(model, 120, 0.1, rng),
                                        sampled(model, 80, 0.5, rng)};
  std::vector<SeparateLog> logs;
  for (std::size_t l = 0; l < samples.size(); ++l)
    logs.push_back({"log" + std::to_string(l), [&samples, l](RowInformation& rows) { add(rows, samples[l]); }});
  const CrossValidation found = cross_validate(logs, [&] { return std::make_unique<TorqueInformation>(model); }, {});

  REQUIRE(found.logs == std::vector<std::string>{"log0", "log1", "log2"});
  std::vector<double> squares(static_cast<std::size_t>(model.nv), 0.0);
  double rows = 0;
  for (std::size_t held = 0; held < samples.size(); ++held) {
    TorqueInformation others(model);
    for (std::size_t l = 0; l < samples.size(); ++l)
      if (l != held) add(others, samples[l]);
    const std::vector<double> left = squares_left(model, samples[held], identify(others).value);
    const auto count = static_cast<double>(samples[held].size());
    rows += count;
    for (std::size_t i = 0; i < left.size(); ++i) {
      CHECK(found.by_log[held][i] == Approx(std::sqrt(left[i] / count)).epsilon(1e-7));
      squares[i] += left[i];
    }
  }
  for (std::size_t i = 0; i < squares.size(); ++i) CHECK(found.rms[i] == Approx(std::sqrt(squares[i] / rows)).epsilon(1e-7));
}

TEST_CASE("Cross-validation names the log whose absence leaves too few rows") {
  const Model model = random_tree(3, 5);
  std::mt19937 rng(7);
  const SampledLog many = sampled(model, 200, 0.1, rng), few = sampled(model, 5, 0.1, rng);
  const std::vector<SeparateLog> logs{{"many", [&](RowInformation& rows) { add(rows, many); }},
                                      {"few", [&](RowInformation& rows) { add(rows, few); }}};
  try {
    cross_validate(logs, [&] { return std::make_unique<TorqueInformation>(model); }, {});
    FAIL("five rows were enough");
  } catch (const InputError& error) {
    CHECK(error.file() == "many");
    CHECK(std::string(error.what()).find("5 rows of") != std::string::npos);
  }
}
