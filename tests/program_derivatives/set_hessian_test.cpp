// Second derivatives of what sensor sets determine, by programs: complex steps of the programs of first derivatives.
#include <catch2/catch.hpp>
#include <complex>
#include <map>
#include <random>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/coupled.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Row = std::vector<double>;
using ComplexRow = std::vector<std::complex<double>>;

constexpr double hessian_step = 1e-100;

/// Programs of first and of second derivatives by q, v and y.
struct TwoPrograms {
  Program first, second;
};

/// Where a program is evaluated.
struct Point {
  State s;
  Row y, lambda, pi;
};

std::vector<ComplexRow> complex_inputs(const Program& program, const Point& at) {
  const std::map<std::string, const Row*> known{{"q", &at.s.q}, {"dq", &at.s.v}, {"y", &at.y}, {"pi", &at.pi}};
  std::vector<ComplexRow> inputs;
  for (const Port& port : program.inputs()) {
    const Row& x = *known.at(port.name);
    inputs.emplace_back(x.begin(), x.end());
  }
  return inputs;
}

/// λᵀ [dx_dq dx_dv dx_dy] at these inputs; `imaginary`: its derivative along a complex step.
Row contracted(const Program& program, const std::vector<ComplexRow>& inputs, const Row& lambda, bool imaginary) {
  const std::vector<ComplexRow> values = evaluated_as(program, inputs);
  Row sum;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (program.outputs()[p].name.rfind("dx_d", 0) != 0) continue;
    const std::size_t columns = values[p].size() / lambda.size(), first = sum.size();
    sum.resize(first + columns, 0.0);
    for (std::size_t i = 0; i < lambda.size(); ++i)
      for (std::size_t k = 0; k < columns; ++k) {
        const std::complex<double> x = values[p][i * columns + k];
        sum[first + k] += lambda[i] * (imaginary ? x.imag() / hessian_step : x.real());
      }
  }
  return sum;
}

/// For each direction the derivative of that row.
std::vector<Row> steps_of_gradient(const Model& model, const Program& first, const Point& at) {
  std::vector<Row> moved;
  const std::complex<double> step(0, hessian_step);
  for (int k = 0; k < model.nv; ++k) {
    std::vector<ComplexRow> inputs = complex_inputs(first, at);
    ComplexRow delta(static_cast<std::size_t>(model.nv)), from = inputs[0];
    delta[static_cast<std::size_t>(k)] = step;
    integrate(model, from.data(), delta.data(), inputs[0].data());
    moved.push_back(contracted(first, inputs, at.lambda, true));
  }
  for (std::size_t port : {1, 2})
    for (std::size_t k = 0; k < first.inputs()[port].elements.size(); ++k) {
      std::vector<ComplexRow> inputs = complex_inputs(first, at);
      inputs[port][k] += step;
      moved.push_back(contracted(first, inputs, at.lambda, true));
    }
  return moved;
}

/// The two halves of a symmetric matrix, entries that are not written as zeros.
Row lower_triangle(const std::vector<Row>& steps) {
  Row all;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) all.push_back(0.5 * (steps[i][k] + steps[k][i]));
  return all;
}
Row lower_triangle(const Port& port, const Row& values, std::size_t n) {
  std::map<std::string, double> named;
  for (std::size_t e = 0; e < values.size(); ++e) named[port.elements[e]] = values[e];
  Row all;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const auto found = named.find("H." + std::to_string(i) + "." + std::to_string(k));
      all.push_back(found == named.end() ? 0.0 : found->second);
    }
  return all;
}

void check_point(const Model& model, const TwoPrograms& programs, const Point& at) {
  const std::vector<Row> values = evaluated(
      programs.second,
      {{"q", at.s.q.data()}, {"dq", at.s.v.data()}, {"y", at.y.data()}, {"lambda", at.lambda.data()}, {"pi", at.pi.data()}});
  const std::size_t last = values.size() - 1;
  REQUIRE(programs.second.outputs()[last].name == "H");
  REQUIRE(programs.second.outputs()[last - 1].name == "g");
  const Row gradient = contracted(programs.first, complex_inputs(programs.first, at), at.lambda, false);
  CHECK(norm_error(values[last - 1], gradient) < 1e-10);
  const std::vector<Row> steps = steps_of_gradient(model, programs.first, at);
  CHECK(norm_error(lower_triangle(programs.second.outputs()[last], values[last], steps.size()), lower_triangle(steps)) < 1e-10);
}

void check_points(const Model& model, const TwoPrograms& programs, const Row& pi, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  const auto drawn_row = [&](std::size_t n) {
    Row x(n);
    for (double& each : x) each = normal(rng);
    return x;
  };
  std::size_t outputs = 0;
  for (const Port& port : programs.second.inputs())
    if (port.name == "lambda") outputs = port.elements.size();
  const std::size_t inputs = programs.first.inputs()[2].elements.size();
  std::vector<State> states = special_states(model, rng, 1);
  states.resize(1), states.push_back(random_state(model, rng));
  std::fill(states[0].v.begin(), states[0].v.end(), 0.0);
  for (const State& s : states) check_point(model, programs, {s, drawn_row(inputs), drawn_row(outputs), pi});
  check_point(model, programs, {states[0], Row(inputs, 0.0), drawn_row(outputs), pi});
}

constexpr DerivativesBy first_by{true, true, true, false, false};

DerivativesBy second_by() {
  DerivativesBy by = first_by;
  by.second = true;
  return by;
}

void check_hessian(const Model& model, const SensorSet& set, const std::vector<std::string>& outputs,
                   const Formulation& formulation = {}, const RobotParameters& parameters = {}) {
  INFO(formulation_name(formulation));
  const System system = parameters.empty() ? System(model, set, formulation) : system_with_inputs(parameters, set, formulation);
  OptimiseOptions quick;
  quick.health_states = 10, quick.umfpack_states = 1;
  const Plan plan = optimise(system, quick).plan;
  const ReadInputs read = required_inputs(system);
  check_points(model,
               {sensor_program(system, plan, outputs, read, first_by, parameters),
                sensor_program(system, plan, outputs, read, second_by(), parameters)},
               parameters.inputs.nominal, 3);
}

const char* const contradicting = R"({"sensors": [
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0, "optional": true},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "imu", "type": "accelerometer", "link": "link2", "xyz": [0.1, 0.2, 0.3], "sigma": 0.2},
  {"name": "com", "type": "com_acceleration", "sigma": 0.3},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "link3", "value": 0}], "prior": {"fx": 10}})";

void check_hessian_of_estimate(const Model& model, const RobotParameters& parameters = {}) {
  const SensorSet set = parse_sensor_set(contradicting, "noisy");
  const System system = parameters.empty() ? System(model, set) : system_with_inputs(parameters, set);
  const auto plan = plan_estimator(system);
  const ReadInputs read = required_inputs(system);
  EstimatorProgramOptions options;
  options.derivatives = first_by, options.parameters = parameters;
  const std::vector<std::string> outputs{"ddq", "tau", "fx.link3", "f.joint2"};
  const Program first = estimator_program(system, *plan, outputs, read, options);
  options.derivatives = second_by();
  check_points(model, {first, estimator_program(system, *plan, outputs, read, options)}, parameters.inputs.nominal, 4);
}

RobotParameters some_inputs(const Model& model) {
  RobotParameters parameters{std::make_shared<const Model>(model), {{0, 3, 14}, {}, {}}};
  for (int k : parameters.inputs.columns)
    parameters.inputs.nominal.push_back(sparsedyn::parameters(model)[static_cast<std::size_t>(k)]);
  return parameters;
}

}  // namespace

TEST_CASE("second derivatives of sensor sets' answers, of every kind of joint") {
  TreeOptions options;
  options.floating = GENERATE(false, true), options.kinds = every_joint_kind();
  const Model model = with_joint_physics(random_tree(4, options.floating ? 2 : 3, options), 2);
  check_hessian(model, inverse_dynamics_set(), {"tau"});
  check_hessian(model, forward_dynamics_set(), {"ddq", "acc"});
}

TEST_CASE("second derivatives of sensor sets' answers in every formulation") {
  const Model model = with_joint_physics(random_tree(3, 5, {true}), 2);
  for (const Formulation& formulation : all_formulations()) check_hessian(model, forward_dynamics_set(), {"ddq"}, formulation);
}

TEST_CASE("second derivatives of sensor sets' answers where joints follow others") {
  const Model tree = with_joint_physics(random_tree(6, 5, {GENERATE(false, true)}), 2);
  check_hessian(random_coupled_robot(tree, 4).model, forward_dynamics_set(), {"ddq"});
}

TEST_CASE("second derivatives of sensor sets' answers with parameters as inputs") {
  const Model model = with_joint_physics(random_tree(3, 6, {true}), 2);
  check_hessian(model, forward_dynamics_set(), {"ddq"}, {}, some_inputs(model));
  check_hessian_of_estimate(with_joint_physics(random_tree(4, 3), 3), some_inputs(with_joint_physics(random_tree(4, 3), 3)));
}

TEST_CASE("second derivatives of redundant sets' estimates") {
  check_hessian_of_estimate(with_joint_physics(random_tree(4, 3, {GENERATE(false, true), false, 0.4}), 3));
}
