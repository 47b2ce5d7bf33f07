// Programs of sensor sets with the robot's parameters as inputs: the solver and the estimator of robots with these parameters
// elsewhere, and derivatives by parameters beside complex steps of the program itself.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <optional>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "varied_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Every joint's torque and acceleration with noise, the momentum and a hand that is pushed.
const char* const noisy_with_sums = R"({"sensors": [
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0, "optional": true},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "com", "type": "com_acceleration", "sigma": 0.3},
  {"name": "sum", "type": "momentum_rate", "sigma": 0.7},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "link3", "value": 0}], "prior": {"fx": 10}})";

const char* const noisy_motors = R"({"sensors": [
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0, "optional": true},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "imu", "type": "accelerometer", "link": "link2", "xyz": [0.1, 0.2, 0.3], "sigma": 0.2},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "link3", "value": 0}], "prior": {"fx": 10}})";

Numbers normal_readings(std::size_t n, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Numbers x(n);
  for (double& each : x) each = normal(rng);
  return x;
}

/// One at rest with all joints at zero and readings of zero, one at a quarter turn, and a random state.
struct SetSample {
  State s;
  Numbers y;
  bool random = false;
};
std::vector<SetSample> set_samples(const Model& robot, std::size_t inputs, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<State> states = special_states(robot, rng, 1);
  states.resize(2), states.push_back(random_state(robot, rng));
  std::vector<SetSample> all;
  for (const State& s : states) all.push_back({s, normal_readings(inputs, rng)});
  all.back().random = true;
  std::fill(all[0].s.v.begin(), all[0].s.v.end(), 0.0), std::fill(all[0].y.begin(), all[0].y.end(), 0.0);
  return all;
}

RobotParameters robot_parameters(const Model& robot, const std::vector<int>& columns) {
  return {std::make_shared<const Model>(robot), inputs_of(robot, columns)};
}

/// The program's outputs, none where the order loses a pivot: Solver and Estimator then have others.
std::optional<std::vector<Numbers>> set_values(const Program& program, const SetSample& sample, const Numbers& pi,
                                               const Numbers& weight = {}) {
  const std::map<std::string, const Numbers*> known{
      {"q", &sample.s.q}, {"dq", &sample.s.v}, {"y", &sample.y}, {"weight", &weight}, {"pi", &pi}};
  std::vector<Numbers> inputs;
  for (const Port& port : program.inputs()) inputs.push_back(*known.at(port.name));
  std::vector<Numbers> found = evaluated_as(program, inputs);
  for (const Numbers& x : found)
    for (double each : x)
      if (!std::isfinite(each)) return {};
  return found;
}

/// Outputs in the order of `columns`.
Numbers in_columns(const Program& program, const std::vector<Numbers>& found, const std::vector<std::string>& columns) {
  ByName named;
  for (std::size_t k = 0; k < found.size(); ++k)
    for (std::size_t e = 0; e < found[k].size(); ++e) named[program.outputs()[k].elements[e]] = found[k][e];
  Numbers x;
  for (const std::string& column : columns) x.push_back(named.at(column));
  return x;
}

Plan set_plan(const System& system) {
  OptimiseOptions quick;
  quick.health_states = 10, quick.umfpack_states = 1;
  return optimise(system, quick).plan;
}

/// dx_dpi beside complex steps of the outputs before it.
void check_set_slopes(const Program& program, const SetSample& sample, const Numbers& pi) {
  using Complex = std::complex<double>;
  const std::vector<Numbers> found = set_values(program, sample, pi).value();
  const std::size_t last = found.size() - 1, count = pi.size();
  REQUIRE(program.outputs()[last].name == "dx_dpi");
  std::vector<std::vector<Complex>> in{{sample.s.q.begin(), sample.s.q.end()},
                                       {sample.s.v.begin(), sample.s.v.end()},
                                       {sample.y.begin(), sample.y.end()},
                                       {pi.begin(), pi.end()}};
  Numbers steps(found[last].size());
  for (std::size_t c = 0; c < count; ++c) {
    constexpr double step = 1e-100;
    in[3][c] += Complex(0, step);
    const std::vector<std::vector<Complex>> moved = evaluated_as(program, in);
    in[3][c] = pi[c];
    std::size_t row = 0;
    for (std::size_t k = 0; k < last; ++k)
      for (const Complex& x : moved[k]) steps[row++ * count + c] = x.imag() / step;
  }
  CHECK(norm_error(found[last], steps) < 1e-10);
}

void check_determined_set(const Model& robot, const SensorSet& set, const std::vector<std::string>& outputs,
                          const std::vector<int>& columns, const Formulation& formulation = {}, bool slopes = false) {
  INFO(formulation_name(formulation));
  const bool may_lose_pivots = formulation.maximal_coordinates;
  const RobotParameters parameters = robot_parameters(robot, columns);
  const System varied = system_with_inputs(parameters, set, formulation);
  const ReadInputs all(varied.inputs().size(), true);
  DerivativesBy by;
  by.p = slopes;
  const Program program = sensor_program(varied, set_plan(varied), outputs, all, by, parameters);
  REQUIRE(program.inputs().back().name == "pi");
  REQUIRE(program.inputs().back().elements.size() == columns.size());
  const Numbers own = parameters.inputs.nominal, other = picked(with_columns(robot, columns, drawn(robot, 3)), columns);
  const auto check = [&](const Model& reference, const Numbers& pi, double bound) {
    const auto system = std::make_shared<const System>(reference, set, formulation);
    SolverOptions options;
    options.outputs = outputs;
    Solver solver(system, std::make_shared<const Plan>(set_plan(*system)), options);
    Numbers expected(solver.output_columns().size());
    for (const SetSample& sample : set_samples(robot, all.size(), 4)) {
      REQUIRE(solver.solve(sample.s.q.data(), sample.s.v.data(), sample.y.data(), expected.data()).ok());
      const auto found = set_values(program, sample, pi);
      if (!found && may_lose_pivots && !sample.random) continue;
      REQUIRE(found);
      CHECK(norm_error(in_columns(program, *found, solver.output_columns()), expected) < bound);
      if (slopes) check_set_slopes(program, sample, pi);
    }
  };
  check(robot, own, 1e-12);
  check(robot_with(robot, with_columns(robot, columns, drawn(robot, 3))), other, 1e-11);
}

/// Returns how many special states it answered.
int check_redundant_set(const Model& robot, const char* set_text, const std::vector<int>& columns, bool weights = false) {
  const SensorSet set = parse_sensor_set(set_text, "noisy");
  const RobotParameters parameters = robot_parameters(robot, columns);
  const System varied = system_with_inputs(parameters, set);
  EstimatorProgramOptions options;
  options.parameters = parameters, options.weights = weights;
  const std::vector<std::string> outputs{"ddq", "tau", "fx.link3", "f.joint2"};
  const ReadInputs all(varied.inputs().size(), true);
  const Program program = estimator_program(varied, *plan_estimator(varied), outputs, all, options);
  REQUIRE(program.inputs().back().name == "pi");
  int answered = 0;
  const auto check = [&](const Model& reference, const Numbers& pi, double bound) {
    const auto system = std::make_shared<const System>(reference, set);
    EstimatorOptions wanted;
    wanted.outputs = outputs;
    Estimator estimator(system, plan_estimator(*system), wanted);
    Numbers expected(estimator.output_columns().size()), weight;
    if (weights)
      for (const std::string& name : program.inputs().at(3).elements)
        for (int r = 0; r < system->pattern().rows; ++r)
          if (name == "weight." + system->equation_names()[static_cast<std::size_t>(r)])
            weight.push_back(1 / system->sigma_of(r));
    for (const SetSample& sample : set_samples(robot, all.size(), 5)) {
      REQUIRE(estimator.estimate(sample.s.q.data(), sample.s.v.data(), sample.y.data(), expected.data()).ok());
      const auto found = set_values(program, sample, pi, weight);
      answered += found && !sample.random;
      if (!found && !sample.random) continue;
      REQUIRE(found);
      CHECK(norm_error(in_columns(program, *found, estimator.output_columns()), expected) < bound);
    }
  };
  check(robot, parameters.inputs.nominal, 1e-11);
  check(robot_with(robot, with_columns(robot, columns, drawn(robot, 6))),
        picked(with_columns(robot, columns, drawn(robot, 6)), columns), 1e-11);
  return answered;
}

Model lumped_tree_with_friction(bool floating, unsigned seed) {
  return with_joint_physics(random_tree(4, seed, {floating, true, 0.4}), 5);
}

}  // namespace

TEST_CASE("parameters as inputs of sensor sets that determine everything, of every kind of joint") {
  const Model robot = tree_of_every_kind(GENERATE(false, true));
  check_determined_set(robot, inverse_dynamics_set(), {"tau", "f", "acc"}, all_columns(robot));
  check_determined_set(robot, forward_dynamics_set(), {"ddq", "f", "acc"}, all_columns(robot));
}

TEST_CASE("parameters as inputs of sensor sets in every formulation whose bodies are in their links' frames") {
  const Model robot = lumped_tree_with_friction(true, 5);
  for (const Formulation& formulation : all_formulations()) {
    if (formulation.maximal_coordinates) continue;  // no order found here keeps its pivots; the solver has others
    if (formulation.axis_frames()) {
      const RobotParameters parameters = robot_parameters(robot, {0});
      const System varied = system_with_inputs(parameters, forward_dynamics_set(), formulation);
      CHECK_THROWS_AS(sensor_program(varied, set_plan(varied), {"ddq"}, required_inputs(varied), {}, parameters),
                      std::invalid_argument);
      continue;
    }
    check_determined_set(robot, forward_dynamics_set(), {"ddq", "tau"}, all_columns(robot), formulation);
    check_determined_set(robot, forward_dynamics_set(), {"ddq", "tau"}, {3, 17, 30}, formulation);
  }
}

TEST_CASE("derivatives of sensor sets' answers by parameters that are inputs") {
  const Model robot = lumped_tree_with_friction(GENERATE(false, true), 6);
  check_determined_set(robot, forward_dynamics_set(), {"ddq", "acc"}, all_columns(robot), {}, true);
  check_determined_set(robot, inverse_dynamics_set(), {"tau"}, {1, 9, 12, 43}, {}, true);
}

TEST_CASE("parameters as inputs of sensor sets where joints follow others") {
  const Model tree = with_joint_physics(random_tree(6, 5, {GENERATE(false, true)}), 2);
  const Model robot = random_coupled_robot(tree, 4).model;
  check_determined_set(robot, forward_dynamics_set(), {"ddq", "tau"}, all_columns(robot), {}, true);
}

TEST_CASE("masses that a robot has not can be inputs of sensor sets all the same") {
  Model robot = random_tree(4, 2);
  Numbers pi = parameters(robot);
  std::fill(pi.begin() + 10, pi.begin() + 20, 0.0);
  robot = robot_with(robot, pi);
  robot.physics.clear();
  check_determined_set(robot, inverse_dynamics_set(), {"tau", "f"}, all_columns(robot));
}

TEST_CASE("parameters as inputs of redundant sensor sets, with sums over all masses") {
  const Model robot = lumped_tree_with_friction(true, 7);
  const int answered = check_redundant_set(robot, noisy_motors, all_columns(robot)) +
                       check_redundant_set(robot, noisy_motors, all_columns(robot), true) +
                       check_redundant_set(robot, noisy_with_sums, all_columns(robot)) +
                       check_redundant_set(robot, noisy_with_sums, {0, 12, 31});
  CHECK(answered > 0);
}

/// Exact sums fix much of what the noise would blur. The program's deviations are roots of sums of squares, so that also those
/// that are zero keep the digits of the solution: beside long double 1e-10 of the largest. The Estimator takes differences of
/// large numbers there, and is a reference of variances alone.
TEST_CASE("deviations with parameters as inputs, also those that are zero, beside long double and the estimator") {
  const char* const exact_sum = R"({"sensors": [
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "sum", "type": "momentum_rate"},
    {"name": "air", "type": "external_wrench", "link": "*", "except": "right_finger", "value": 0}], "prior": {"fx": 1000}})";
  const Model robot = shipped_model("arm", true);
  const SensorSet set = parse_sensor_set(exact_sum, "noisy");
  const RobotParameters some = robot_parameters(robot, {0, 12, 31, 60});
  const System own(robot, set), varied = system_with_inputs(some, set);
  const std::vector<std::string> outputs{"ddq", "tau", "fx.right_finger"};
  EstimatorProgramOptions options;
  options.deviations = true;
  const ReadInputs all(own.inputs().size(), true);
  const auto plan = plan_estimator(own);
  const Program constant = estimator_program(own, *plan, outputs, all, options);
  options.parameters = some;
  const Program program = estimator_program(varied, *plan_estimator(varied), outputs, all, options);
  EstimatorOptions wanted;
  wanted.outputs = outputs, wanted.standard_deviations = true;
  Estimator estimator(std::make_shared<const System>(own), plan, wanted);
  Numbers expected(estimator.output_columns().size());
  const auto squares = [](auto numbers) {
    for (auto& x : numbers) x *= x;
    return numbers;
  };
  int answered = 0;
  std::mt19937 rng(9);
  for (int k = 0; k < 12; ++k) {
    const SetSample sample{random_state(robot, rng), normal_readings(all.size(), rng), true};
    REQUIRE(estimator.estimate(sample.s.q.data(), sample.s.v.data(), sample.y.data(), expected.data()).ok());
    const Numbers& deviations = estimator.standard_deviations();
    double largest = 0;
    for (double sd : deviations) largest = std::max(largest, sd);
    for (const Program* each : {&constant, &program}) {
      const auto found = set_values(*each, sample, some.inputs.nominal);
      REQUIRE(found);
      ++answered;
      CHECK(norm_error(squares(found->back()), squares(Numbers(deviations.begin(), deviations.end()))) < 1e-10);
      std::vector<std::vector<long double>> in;
      for (const Numbers* x : {&sample.s.q, &sample.s.v, &sample.y, &some.inputs.nominal})
        in.emplace_back(x->begin(), x->end());
      const std::vector<long double> precise = evaluated_as(*each, in).back();
      for (std::size_t c = 0; c < deviations.size(); ++c) {
        CHECK(std::abs(static_cast<double>(precise[c]) - found->back()[c]) < 1e-10 * std::max(1.0, largest));
        CHECK(std::abs(static_cast<double>(precise[c]) - deviations[c]) < 1e-6 * std::max(1.0, largest));
      }
    }
  }
  CHECK(answered == 24);
}

TEST_CASE("a system whose numbers stand for inputs answers for no robot") {
  const Model robot = lumped_tree_with_friction(true, 5);
  const RobotParameters some = robot_parameters(robot, {3, 17}), none = robot_parameters(robot, {});
  const auto planned = std::make_shared<const System>(system_with_inputs(some, forward_dynamics_set()));
  const auto noisy = std::make_shared<const System>(system_with_inputs(some, parse_sensor_set(noisy_motors, "noisy")));
  const ReadInputs read = required_inputs(*planned);
  const auto plan = std::make_shared<const Plan>(set_plan(*planned));
  CHECK_THROWS_WITH(sensor_program(*planned, *plan, {"ddq"}, read), Catch::Contains("expected the parameters"));
  CHECK_THROWS_WITH(sensor_program(*planned, *plan, {"ddq"}, read, {}, none), Catch::Contains("expected the parameters"));
  CHECK_THROWS_WITH(Solver(planned, plan, {}), Catch::Contains("expected a system of the robot"));
  CHECK_THROWS_WITH(estimator_program(*noisy, *plan_estimator(*noisy), {"ddq"}, required_inputs(*noisy)),
                    Catch::Contains("expected the parameters"));
  CHECK_THROWS_WITH(Estimator(noisy, plan_estimator(*noisy), {}), Catch::Contains("expected a system of the robot"));
  CHECK_THROWS_AS(system_with_inputs({}, forward_dynamics_set()), std::invalid_argument);
  const System plain = system_with_inputs(none, forward_dynamics_set());  // all numbers are the robot's
  CHECK_NOTHROW(sensor_program(plain, set_plan(plain), {"ddq"}, read));
  CHECK(parameters(plain.model()) == parameters(robot));
}

TEST_CASE("sensor sets of a robot with other numbers than those of the parameters that are inputs are refused") {
  const Model robot = lumped_tree_with_friction(true, 5), coupled = random_coupled_robot(robot, 4).model;
  for (const Model& each : {robot, coupled}) {
    const int joints = 10 * static_cast<int>(each.joints.size());
    const RobotParameters few = robot_parameters(each, {3, 17}), others = robot_parameters(each, {3, 18}),
                          friction = robot_parameters(each, {joints + 1}), more = robot_parameters(each, all_columns(each));
    const System own(each, forward_dynamics_set());
    const Plan plan = set_plan(own);
    const ReadInputs read = required_inputs(own);
    for (const RobotParameters& asked : {few, friction, more}) {
      CHECK_THROWS_WITH(sensor_program(own, plan, {"ddq"}, read, {}, asked), Catch::Contains("expected system_with_inputs"));
      const System planned = system_with_inputs(asked, forward_dynamics_set());
      CHECK_NOTHROW(sensor_program(planned, set_plan(planned), {"ddq"}, read, {}, asked));
      CHECK_THROWS_AS(sensor_program(planned, set_plan(planned), {"ddq"}, read, {}, others), std::invalid_argument);
    }
    const System noisy(each, parse_sensor_set(noisy_motors, "noisy"));
    EstimatorProgramOptions options;
    options.parameters = few;
    CHECK_THROWS_WITH(estimator_program(noisy, *plan_estimator(noisy), {"ddq"}, required_inputs(noisy), options),
                      Catch::Contains("expected system_with_inputs"));
  }
}

TEST_CASE("parameters as inputs are places in the robot's list, each once, with a value each") {
  const Model robot = lumped_tree_with_friction(false, 5);
  const int count = static_cast<int>(parameter_names(robot).size());
  for (const std::vector<int>& columns : {std::vector<int>{-1}, {count}, {4, 3, 4}}) {
    const ParameterInputs inputs{columns, Numbers(columns.size(), 1.0), {}};
    CHECK_THROWS_AS(algorithm_program(robot, "rnea", {}, false, inputs), std::invalid_argument);
    CHECK_THROWS_AS(stage_program(robot, "rk4", {"x_next"}, inputs), std::invalid_argument);
    CHECK_THROWS_AS(system_with_inputs({std::make_shared<const Model>(robot), inputs}, forward_dynamics_set()),
                    std::invalid_argument);
  }
  CHECK_THROWS_AS(algorithm_program(robot, "rnea", {}, false, {{3, 4}, {1.0}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(algorithm_program(robot, "rnea", {}, false, {{3}, {1.0}, {count}}), std::invalid_argument);
}

TEST_CASE("a sensor set's program without parameters as inputs does not know of them") {
  const Model robot = lumped_tree_with_friction(true, 5);
  const System system(robot, forward_dynamics_set());
  const Plan plan = set_plan(system);
  const Program plain = sensor_program(system, plan, {"ddq"}, required_inputs(system)),
                none = sensor_program(system, plan, {"ddq"}, required_inputs(system), {}, robot_parameters(robot, {}));
  CHECK(plain.inputs().size() == 3);
  CHECK(emit_c(plain, "f").source == emit_c(none, "f").source);
}
