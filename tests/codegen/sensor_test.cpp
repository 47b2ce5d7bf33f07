// Programs of sensor sets, evaluated, against the solver that replays the same plan.
#include <catch2/catch.hpp>
#include <memory>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"
#include "system/dense.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Values of all outputs by column name.
std::vector<double> evaluate(const Program& program, const State& s, const std::vector<double>& y,
                             const std::vector<std::string>& columns) {
  const double* arg[] = {s.q.data(), s.v.data(), y.data()};
  std::vector<std::vector<double>> out;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  std::vector<double*> res;
  for (auto& x : out) res.push_back(x.data());
  std::vector<double> workspace(program.nodes().size()), values;
  CHECK(program.evaluate(arg, res.data(), workspace.data()));
  for (const std::string& column : columns)
    for (std::size_t k = 0; k < out.size(); ++k)
      for (std::size_t e = 0; e < out[k].size(); ++e)
        if (program.outputs()[k].elements[e] == column) values.push_back(out[k][e]);
  return values;
}

void check(const Model& model, const SensorSet& set, const std::vector<std::string>& outputs, bool plain) {
  const auto system = std::make_shared<const System>(model, set);
  const std::optional<Plan> plan = recursive_plan(*system);
  REQUIRE(plan);
  SolverOptions options;
  options.outputs = outputs;
  Solver solver(system, std::make_shared<const Plan>(*plan), options);
  CHECK(is_plain_dynamics(*system, outputs) == plain);

  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  for (bool all : {true, false}) {
    const ReadInputs read = all ? ReadInputs(system->inputs().size(), true) : required_inputs(*system);
    std::vector<Program> programs{sensor_program(*system, *plan, outputs, read)};
    if (plain) programs.push_back(plain_dynamics_program(*system, outputs, read));
    for (int k = 0; k < 10; ++k) {
      const State s = random_state(model, rng);
      std::vector<double> y, chosen, expected(solver.output_columns().size());
      for (std::size_t i = 0; i < read.size(); ++i) {
        y.push_back(read[i] ? normal(rng) : system->inputs()[i].fallback);
        if (read[i]) chosen.push_back(y.back());
      }
      REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), expected.data()).ok());
      for (const Program& program : programs)
        CHECK(norm_error(evaluate(program, s, chosen, solver.output_columns()), expected) < 1e-10);
    }
  }
}

}  // namespace

TEST_CASE("programs of sensor sets equal the solver") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 3; ++seed) {
      const Model model = random_tree(5, seed, {floating, true, 0.4});
      check(model, inverse_dynamics_set(), {"tau"}, true);
      check(model, forward_dynamics_set(), {"ddq"}, true);
      check(model, inverse_dynamics_set(), {"tau", "f", "acc"}, false);
      check(model, forward_dynamics_set(), {"acc", "ddq"}, false);
    }
}

TEST_CASE("programs of sensor sets equal the solver where wrenches act on wheels") {
  for (bool floating : {false, true}) {
    const Model model = with_wheels(random_tree(5, 1, {floating, true, 0.4}));
    check(model, inverse_dynamics_set(), {"tau"}, true);
    check(model, forward_dynamics_set(), {"ddq"}, true);
  }
}

TEST_CASE("programs of sensor sets equal the solver, for every joint type") {
  const Model model = random_tree(6, 2, {true, true, 0.4, every_joint_kind()});
  check(model, inverse_dynamics_set(), {"tau"}, false);
  check(model, forward_dynamics_set(), {"ddq", "f"}, false);
}

TEST_CASE("plain dynamics is refused where more is asked for") {
  const System system(random_tree(3, 1), inverse_dynamics_set());
  CHECK_THROWS_AS(plain_dynamics_program(system, {"f"}, required_inputs(system)), std::invalid_argument);
}

TEST_CASE("programs in every formulation equal the solver") {
  for (bool inverse : {true, false}) {
    const Model model = random_tree(4, 3, {true, true, 0.4});
    const SensorSet set = inverse ? inverse_dynamics_set() : forward_dynamics_set();
    const std::vector<std::string> outputs{inverse ? "tau" : "ddq"};
    const auto plain = std::make_shared<const System>(model, set);
    Solver solver(plain, std::make_shared<const Plan>(recursive_plan(*plain).value()), {outputs});
    std::mt19937 rng(5);
    const State s = random_state(model, rng);
    std::vector<double> y(plain->inputs().size()), expected(solver.output_columns().size());
    for (double& reading : y) reading = std::normal_distribution<double>()(rng);
    REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), expected.data()).ok());
    for (const Formulation& formulation : all_formulations()) {
      INFO(formulation_name(formulation));
      const System system(model, set, formulation);
      const Program program =
          sensor_program(system, recursive_plan(system).value(), outputs, ReadInputs(system.inputs().size(), true));
      CHECK(norm_error(evaluate(program, s, y, solver.output_columns()), expected) < 1e-10);
    }
  }
}

TEST_CASE("programs of sensor sets hold hard loops, beside the dynamics on joint space") {
  TreeOptions tree;
  tree.branching = 0, tree.lumped = false, tree.kinds = {JointKind::revolute};
  for (const bool floating : {false, true}) {
    tree.floating = floating;
    const Model model = random_tree(9, 4, tree);
    Constraint loop;
    loop.name = "loop", loop.type = ConstraintType::weld, loop.hard = true;
    loop.links = {model.links.back().name, model.links[2].name};
    loop.frames[0].d = {{0.1, 0.2, 0}};
    SensorSet set = forward_dynamics_set();
    set.constraints.constraints = {loop};
    const System system(model, set);
    CHECK_FALSE(is_plain_dynamics(system, {"ddq"}));
    OptimiseOptions options;
    options.outputs = {"ddq", "lambda"};
    const ReadInputs read(system.inputs().size(), true);
    const Program program = sensor_program(system, optimise(system, options).plan, options.outputs, read);
    CHECK_THROWS_AS(plain_dynamics_program(system, {"ddq"}, read), std::invalid_argument);
    ConstrainedDynamics dynamics(model, set.constraints);
    std::mt19937 rng(3);
    const std::vector<std::string> columns = Outputs(system, options.outputs).columns();
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, rng);
      std::vector<double> y = inputs_of(system, s.tau), expected(static_cast<std::size_t>(model.nv)), lambda(6);
      REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.data(), lambda.data(), nullptr).ok());
      std::vector<std::string> forces;
      for (const std::string& name : dynamics.force_columns()) forces.push_back("lambda." + name);
      std::vector<double> a, f;
      for (const std::string& name : prefixed("ddq.", velocity_names(model)))
        a.push_back(evaluate(program, s, y, {name}).at(0));
      for (const std::string& name : forces) f.push_back(evaluate(program, s, y, {name}).at(0));
      CHECK(norm_error(a, expected) < 1e-8);
      CHECK(norm_error(f, lambda) < 1e-7);
    }
  }
}
