// Programs of redundant sensor sets, evaluated, against the estimator of the same plan.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Torques and accelerations with noise, all wrenches zero but an unknown one with a prior.
const char* const noisy = R"({"sensors": [
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0, "optional": true},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "link3", "value": 0}], "prior": {"fx": 10}})";

using Values = std::map<std::string, double>;

/// Outputs by name; empty where one is not finite.
Values evaluate(const Program& program, const State& s, const std::vector<double>& y, const std::vector<double>& weight) {
  const double* arg[] = {s.q.data(), s.v.data(), y.data(), weight.data()};
  std::vector<std::vector<double>> out;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  std::vector<double*> res;
  for (auto& x : out) res.push_back(x.data());
  std::vector<double> workspace(program.nodes().size());
  Values values;
  if (!program.evaluate(arg, res.data(), workspace.data())) return values;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t e = 0; e < out[k].size(); ++e) values[program.outputs()[k].elements[e]] = out[k][e];
  return values;
}

struct Case {
  explicit Case(bool floating)
      : model(random_tree(5, 3, {floating, false, 0.4})),
        system(std::make_shared<const System>(model, parse_sensor_set(noisy, "noisy"))),
        plan(plan_estimator(*system)),
        estimator(system, plan, options()) {}
  static EstimatorOptions options() {
    EstimatorOptions made;
    made.outputs = outputs;
    made.standard_deviations = made.innovations = true;
    return made;
  }
  /// Whether the program's order serves for this sample; if so, the estimator, which has others besides, gives the same.
  bool check(const Program& program, const State& s, const std::vector<double>& y, const std::vector<double>& weight) {
    std::vector<double> expected(estimator.output_columns().size()), found, deviations;
    const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), y.data(), expected.data());
    std::vector<double> read = y;
    for (double& x : read) x = std::isnan(x) ? 0.0 : x;
    const Values values = evaluate(program, s, read, weight);
    CHECK((values.empty() || status.ok()));
    if (values.empty()) return false;
    for (const std::string& column : estimator.output_columns()) {
      found.push_back(values.at(column));
      if (values.count("sd." + column)) deviations.push_back(values.at("sd." + column));
    }
    CHECK(norm_error(found, expected) < 1e-10);
    if (!deviations.empty()) CHECK(norm_error(deviations, estimator.standard_deviations()) < 1e-8);
    for (int r = 0; r < system->pattern().rows; ++r)
      if (const auto at = values.find("innovation." + system->equation_names()[r]); at != values.end())
        CHECK(std::abs(at->second - estimator.innovations()[r]) < 1e-8 * std::max(1.0, std::abs(at->second)));
    if (values.count("chi2")) CHECK(values.at("chi2") == Approx(status.chi_square).epsilon(1e-9));
    return true;
  }

  static const std::vector<std::string> outputs;
  Model model;
  std::shared_ptr<const System> system;
  std::shared_ptr<const EstimatorPlan> plan;
  Estimator estimator;
};
const std::vector<std::string> Case::outputs{"ddq", "tau", "fx.link3"};

}  // namespace

TEST_CASE("programs of redundant sets equal the estimator, with deviations and chi-square") {
  for (bool floating : {false, true}) {
    Case c(floating);
    EstimatorProgramOptions options;
    options.deviations = options.chi_square = true;
    const Program program =
        estimator_program(*c.system, *c.plan, Case::outputs, ReadInputs(c.system->inputs().size(), true), options);
    std::mt19937 rng(1);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 10; ++k) {
      std::vector<double> y(c.system->inputs().size());
      for (double& x : y) x = normal(rng);
      CHECK(c.check(program, random_state(c.model, rng), y, {}));
    }
  }
}

/// Of some rows nothing else predicts: their innovation is zero, as the Estimator's.
TEST_CASE("programs of redundant sets give innovations") {
  for (bool floating : {false, true}) {
    Case c(floating);
    EstimatorProgramOptions options;
    options.innovations = options.chi_square = true;
    options.deviations = floating;
    const Program program =
        estimator_program(*c.system, *c.plan, Case::outputs, ReadInputs(c.system->inputs().size(), true), options);
    std::size_t noisy_rows = 0;
    for (int r = 0; r < c.system->pattern().rows; ++r) noisy_rows += c.estimator.sigma(r) > 0;
    CHECK(program.outputs().back().name == "innovation");
    CHECK(program.outputs().back().elements.size() == noisy_rows);
    std::mt19937 rng(6);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 10; ++k) {
      std::vector<double> y(c.system->inputs().size());
      for (double& x : y) x = normal(rng);
      CHECK(c.check(program, random_state(c.model, rng), y, {}));
    }
    options.weights = true;
    CHECK_THROWS_AS(estimator_program(*c.system, *c.plan, Case::outputs, ReadInputs(c.system->inputs().size(), true), options),
                    std::invalid_argument);
  }
}

TEST_CASE("weights as an input: other covariances, and missing measurements") {
  Case c(false);
  EstimatorProgramOptions options;
  options.weights = true;
  const Program program =
      estimator_program(*c.system, *c.plan, Case::outputs, ReadInputs(c.system->inputs().size(), true), options);
  const std::vector<std::string>& names = program.inputs().back().elements;
  REQUIRE(program.inputs().back().name == "weight");
  std::mt19937 rng(2);
  std::normal_distribution<double> normal;
  int answered = 0;
  for (int missing = -1; missing < 10; ++missing) {
    std::vector<double> y(c.system->inputs().size()), weight;
    for (double& x : y) x = normal(rng);
    for (const Measurement& m : c.system->measurements())
      for (int k = 0; k < m.rows(); ++k) {
        if (!(m.sigma[k] > 0)) continue;
        const double sigma = m.sigma[k] * (1 + 0.5 * std::fabs(normal(rng)));
        const auto row = static_cast<int>(weight.size());
        CHECK(names[weight.size()] == "weight." + c.system->equation_names()[m.first_row + k]);
        REQUIRE(c.estimator.set_sigma(m.first_row + k, sigma));
        weight.push_back(row == missing ? 0.0 : 1 / sigma);
        if (row == missing) y[m.inputs[k]] = std::numeric_limits<double>::quiet_NaN();
      }
    answered += c.check(program, random_state(c.model, rng), y, weight);
    CHECK((answered > 0 || missing >= 0));
  }
  CHECK(answered > 1);  // all there, and some gaps
}
