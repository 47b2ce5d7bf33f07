// Programs of redundant sensor sets, evaluated, against the estimator of the same plan.
#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "compiled.hpp"
#include "runtime/mixed_sets.hpp"
#include "runtime/spread/certified_sweep.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
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

/// One joint's acceleration is known exactly, and its torque is measured.
const char* const with_exact_joint = R"({"sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "still", "type": "joint_acceleration", "joint": "joint2", "value": 0},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "except": "joint2", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "link3", "value": 0}], "prior": {"fx": 10}})";

/// The largest difference of the program's deviations, over k, from the expected ones, each beside the largest of its sample;
/// of single calls and of one batch. Infinite where one that is expected to be zero is not.
template <class Real>
double worst_deviation(const CompiledProgram& f, const Program& program, const std::vector<State>& states,
                       const std::vector<std::vector<double>>& expected, double k) {
  const std::size_t n = states.size(), last = program.outputs().size() - 1;
  std::vector<std::vector<Real>> in, out, alone_in, alone_out;
  for (const Port& port : program.inputs())
    in.emplace_back(port.elements.size() * n), alone_in.emplace_back(port.elements.size());
  for (const Port& port : program.outputs())
    out.emplace_back(port.elements.size() * n), alone_out.emplace_back(port.elements.size());
  const auto pointers = [](auto& vectors, auto* type) {
    std::vector<decltype(type)> p;
    for (auto& x : vectors) p.push_back(x.data());
    return p;
  };
  auto arg = pointers(in, static_cast<const Real*>(nullptr)), alone_arg = pointers(alone_in, static_cast<const Real*>(nullptr));
  auto res = pointers(out, static_cast<Real*>(nullptr)), alone_res = pointers(alone_out, static_cast<Real*>(nullptr));
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t e = 0; e < states[s].q.size(); ++e) in[0][e * n + s] = static_cast<Real>(states[s].q[e]);
    for (std::size_t e = 0; e < states[s].v.size(); ++e) in[1][e * n + s] = static_cast<Real>(states[s].v[e]);
  }
  f.batch(arg.data(), res.data(), static_cast<long>(n));
  double worst = 0;
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t p = 0; p < in.size(); ++p)
      for (std::size_t e = 0; e < alone_in[p].size(); ++e) alone_in[p][e] = in[p][e * n + s];
    if (f.call(alone_arg.data(), alone_res.data()) != 0) return std::numeric_limits<double>::infinity();
    const double largest = *std::max_element(expected[s].begin(), expected[s].end());
    for (std::size_t e = 0; e < expected[s].size(); ++e)
      for (Real found : {alone_out[last][e], out[last][e * n + s]}) {
        const double off = std::abs(static_cast<double>(found) / k - expected[s][e]) / largest;
        const bool wrong = std::isnan(off) || (expected[s][e] == 0 && found != 0);
        worst = std::max(worst, wrong ? std::numeric_limits<double>::infinity() : off);
      }
  }
  return worst;
}

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

/// With the deviations of all readings and priors times k, those of the estimates are k times as large: an exact law. Single
/// precision has squares from 1e-38 to 3e38. What exact readings state has no deviation at all.
TEST_CASE("deviations far below and above one are found in double and single precision, alone and in batches") {
  if (c_compilers().empty()) return;
  const Model model = random_tree(3, 3, {false, false, 0.4});
  const auto set_times = [](double k) {
    SensorSet set = parse_sensor_set(with_exact_joint, "exact joint");
    for (Sensor& sensor : set.sensors)
      for (double& sigma : sensor.sigma) sigma *= k;
    for (auto& [kind, deviation] : set.prior) deviation *= k;
    return set;
  };
  EstimatorOptions wanted;
  wanted.outputs = Case::outputs, wanted.standard_deviations = true;
  const auto own = std::make_shared<const System>(model, set_times(1));
  Estimator estimator(own, plan_estimator(*own), wanted);
  std::mt19937 rng(4);
  std::vector<State> states = special_states(model, rng, 2);
  while (states.size() < 19) states.push_back(random_state(model, rng));
  std::vector<std::vector<double>> expected;
  const std::vector<double> y(own->inputs().size(), 0.0);
  std::vector<double> values(estimator.output_columns().size());
  for (const State& s : states) {
    REQUIRE(estimator.estimate(s.q.data(), s.v.data(), y.data(), values.data()).ok());
    expected.push_back(estimator.standard_deviations());
  }
  for (double k : {1e-12, 1.0, 1e12}) {
    const System system(model, set_times(k));
    EstimatorProgramOptions options;
    options.deviations = true;
    const Program program =
        estimator_program(system, *plan_estimator(system), Case::outputs, ReadInputs(y.size(), true), options);
    for (bool single : {false, true}) {
      CAPTURE(k, single);
      EmitOptions emit;
      emit.single_precision = single;
      const CompiledProgram f(emit_c(program, "f", emit), "f", strictly(quick_compiler(), "-O0"));
      const double bound = single ? 1e-5 : 1e-10;
      CHECK((single ? worst_deviation<float>(f, program, states, expected, k)
                    : worst_deviation<double>(f, program, states, expected, k)) < bound);
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

namespace {

/// Of all unknowns, by a dense inverse in long double of the system that the estimator weighs.
std::vector<double> deviations_by_dense_inverse(const Estimator& estimator, const EstimatorPlan& plan, const State& s,
                                                const std::vector<double>& y) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const System& system = estimator.system();
  const int m = plan.augmented.equations(), n = plan.augmented.unknowns();
  const Pattern& pattern = plan.plan.pattern;
  std::vector<double> values(static_cast<std::size_t>(system.pattern().entries())), right(static_cast<std::size_t>(m)),
      weight(right), all(pattern.column.size()), b(static_cast<std::size_t>(m + n));
  SystemWorkspace<double> work(system);
  system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), right.data(), work);
  for (int r = 0; r < m; ++r) weight[static_cast<std::size_t>(r)] = estimator.weight(r);
  plan.augmented.fill(values.data(), right.data(), weight.data(), plan.regularisation.precision.data(), all.data(), b.data());
  LongMatrix A = LongMatrix::Zero(m + n, m + n), units = LongMatrix::Zero(m + n, n);
  for (int r = 0; r < m + n; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      A(r, pattern.column[static_cast<std::size_t>(e)]) = all[static_cast<std::size_t>(e)];
  for (int u = 0; u < n; ++u) units(m + u, u) = 1;
  const LongMatrix inverse = A.partialPivLu().solve(units);
  std::vector<double> deviations;
  for (int u = 0; u < n; ++u) deviations.push_back(static_cast<double>(std::sqrt(std::max(0.0L, -inverse(u, u)))));
  return deviations;
}

}  // namespace

TEST_CASE("programs leave few deviations to solves and the others to a sweep, and give the dense inverse's") {
  const EquippedRobot& robot = equipped_shipped[0];
  const Model model = load_urdf(source_folder() + "/robots/" + robot.file + ".urdf");
  const MixedSet* everything = nullptr;
  for (const MixedSet& mixed : mixed_sets)
    if (mixed.title == std::string("everything at once")) everything = &mixed;
  REQUIRE(everything);
  const auto system = std::make_shared<const System>(model, parse_sensor_set(set_text(*everything, robot), "mixed"));
  const auto plan = plan_estimator(*system);
  const SweepTrial trial = try_sweep_at_many(*system, *plan, Outputs(*system, {}), {true, false});
  CHECK(trial.stands_for_all());
  CHECK_FALSE(trial.within(1e-12));
  EstimatorProgramOptions options;
  const ReadInputs read(system->inputs().size(), true);
  const auto flops_of_deviations = [&](EstimatorProgramOptions with) {
    const long plain = estimator_program(*system, *plan, {}, read, with).counts().flops();
    with.deviations = true;
    return estimator_program(*system, *plan, {}, read, with).counts().flops() - plain;
  };
  EstimatorProgramOptions solved;
  solved.weights = true;
  CHECK(flops_of_deviations(options) < flops_of_deviations(solved) / 2);
  options.deviations = true;
  const Program program = estimator_program(*system, *plan, {}, read, options);
  const std::vector<std::string>& outputs = system->unknown_names();

  Estimator estimator(system, plan, {});
  std::vector<double> found_there(estimator.output_columns().size());
  const std::vector<double> y(system->inputs().size(), 0.3);
  std::mt19937 rng(4);
  State home = random_state(model, rng), random = home;
  neutral(model, home.q.data());
  std::fill(home.v.begin(), home.v.end(), 0.0);
  for (const State& s : {random, home}) {
    const Values values = evaluate(program, s, y, {});
    REQUIRE(!values.empty());
    REQUIRE(estimator.estimate(s.q.data(), s.v.data(), y.data(), found_there.data()).ok());  // which weighs the rows
    const std::vector<double> expected = deviations_by_dense_inverse(estimator, *plan, s, y);
    for (std::size_t c = 0; c < outputs.size(); ++c) {
      const double found = values.at("sd." + outputs[c]);
      CAPTURE(outputs[c], found, expected[c]);
      CHECK(std::abs(found - expected[c]) <= (found < 1e-7 ? 1e-7 : 1e-8 * expected[c]));
    }
  }
}
