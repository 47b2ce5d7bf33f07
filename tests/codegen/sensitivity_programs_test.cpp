// Programs that also give derivatives of what a sensor set determines, against Solver::derivatives and Estimator::derivatives.
#include <catch2/catch.hpp>
#include <map>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/coupled.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

const DerivativesBy by_all{true, true, true, true};

/// dq, dv, dy, dp.
struct DerivativeVectors {
  DerivativeVectors(const System& system, std::size_t outputs)
      : q(outputs * static_cast<std::size_t>(system.model().nv)),
        v(q),
        y(outputs * system.inputs().size()),
        p(outputs * static_cast<std::size_t>(ParameterIndex(system.model()).count)) {}
  DerivativeArrays arrays() { return {q.data(), v.data(), y.data(), p.data()}; }
  Vector q, v, y, p;
};

Vector normal_numbers(std::size_t n, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Vector x(n);
  for (double& each : x) each = normal(rng);
  return x;
}

void check_derivatives(const Program& program, const State& s, const Vector& y, const DerivativeVectors& expected,
                       bool parameters) {
  const std::map<std::string, const double*> known{{"q", s.q.data()}, {"dq", s.v.data()}, {"y", y.data()}};
  const std::vector<Vector> found = sparsedyn::test::evaluated(program, known);
  const std::map<std::string, const Vector*> arrays{
      {"dx_dq", &expected.q}, {"dx_dv", &expected.v}, {"dx_dy", &expected.y}, {"dx_dp", &expected.p}};
  int compared = 0;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (const auto at = arrays.find(program.outputs()[k].name); at != arrays.end()) {
      INFO(at->first);
      CHECK(norm_error(found[k], *at->second) < 1e-10);
      ++compared;
    }
  CHECK(compared == (parameters ? 4 : 3));
}

void check_solver(const Model& model, const SensorSet& set, const Formulation& formulation, std::mt19937& rng) {
  const auto system = std::make_shared<const System>(model, set, formulation);
  OptimiseOptions quick;
  quick.health_states = 10, quick.umfpack_states = 1;
  const auto plan = std::make_shared<const Plan>(optimise(*system, quick).plan);
  SolverOptions options;
  options.outputs = {"tau", "ddq"}, options.derivatives = true;
  Solver solver(system, plan, options);
  DerivativesBy by = by_all;
  by.p = !formulation.joint_space;
  const ReadInputs all(system->inputs().size(), true);
  const Program program = sensor_program(*system, *plan, options.outputs, all, by);
  const State s = random_state(model, rng);
  const Vector y = normal_numbers(all.size(), rng);
  Vector out(solver.output_columns().size());
  REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), out.data()).ok());
  DerivativeVectors expected(*system, out.size());
  REQUIRE(solver.derivatives(expected.arrays()).ok());
  check_derivatives(program, s, y, expected, by.p);
}

/// Torques and accelerations with noise, all wrenches zero but an unknown one with a prior.
const char* const noisy_with_imu = R"({"sensors": [
  {"name": "free", "type": "joint_torque", "joint": "base", "value": 0, "optional": true},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "imu", "type": "accelerometer", "link": "link2", "xyz": [0.1, 0.2, 0.3], "sigma": 0.2},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "link3", "value": 0}], "prior": {"fx": 10}})";

void check_estimator(const Model& model, std::mt19937& rng) {
  const auto system = std::make_shared<const System>(model, parse_sensor_set(noisy_with_imu, "noisy"));
  const auto plan = plan_estimator(*system);
  EstimatorOptions options;
  options.outputs = {"ddq", "tau", "fx.link3", "f.joint2"}, options.derivatives = true;
  Estimator estimator(system, plan, options);
  EstimatorProgramOptions wanted;
  wanted.derivatives = by_all;
  const ReadInputs all(system->inputs().size(), true);
  const Program program = estimator_program(*system, *plan, options.outputs, all, wanted);
  const State s = random_state(model, rng);
  const Vector y = normal_numbers(all.size(), rng);
  Vector out(estimator.output_columns().size());
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), y.data(), out.data()).ok());
  DerivativeVectors expected(*system, out.size());
  REQUIRE(estimator.derivatives(expected.arrays()).ok());
  check_derivatives(program, s, y, expected, true);
}

}  // namespace

TEST_CASE("programs of sensor sets give the solver's derivatives, for every joint type") {
  std::mt19937 rng(31);
  for (bool floating : {false, true}) {
    TreeOptions options;
    options.floating = floating, options.kinds = every_joint_kind();
    for (unsigned seed : {2u, 3u}) {
      const Model model = random_tree(4, seed, options);
      check_solver(model, inverse_dynamics_set(), {}, rng);
      check_solver(model, forward_dynamics_set(), {}, rng);
    }
  }
}

TEST_CASE("programs of sensor sets give the solver's derivatives in every formulation") {
  std::mt19937 rng(32);
  const Model model = with_joint_physics(random_tree(4, 5, {true}), 2);
  for (const Formulation& formulation : all_formulations()) {
    INFO(formulation_name(formulation));
    check_solver(model, forward_dynamics_set(), formulation, rng);
  }
}

TEST_CASE("programs of sensor sets give the solver's derivatives where joints follow others") {
  std::mt19937 rng(33);
  for (bool floating : {false, true}) {
    const Model tree = with_joint_physics(random_tree(6, 5, {floating}), 2);
    check_solver(random_coupled_robot(tree, 4).model, forward_dynamics_set(), {}, rng);
  }
}

TEST_CASE("programs of redundant sets give the estimator's derivatives") {
  std::mt19937 rng(34);
  for (bool floating : {false, true}) check_estimator(with_joint_physics(random_tree(4, 3, {floating, false, 0.4}), 3), rng);
}

TEST_CASE("derivatives by parameters are refused where they are not known") {
  const Model model = random_tree(3, 3);
  SensorSet set = inverse_dynamics_set();
  Sensor sum;
  sum.name = "com", sum.type = "com_acceleration", sum.sigma = {0.1};
  set.sensors.push_back(sum);
  const System system(model, set);
  const auto plan = plan_estimator(system);
  EstimatorProgramOptions options;
  options.derivatives.p = true;
  const ReadInputs all(system.inputs().size(), true);
  CHECK_THROWS_AS(estimator_program(system, *plan, {"tau"}, all, options), std::invalid_argument);
  options.derivatives = {true, false, false, false};
  CHECK_NOTHROW(estimator_program(system, *plan, {"tau"}, all, options));
}
