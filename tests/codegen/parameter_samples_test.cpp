// Derivatives of programs by the robot's parameters; base parameters as inputs; parameters of their own for each sample of
// compiled programs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "compiled.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/json/files.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "varied_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const Numbers& output(const Program& program, const std::vector<Numbers>& values, const std::string& name) {
  for (std::size_t p = 0; p < values.size(); ++p)
    if (program.outputs()[p].name == name) return values[p];
  throw std::invalid_argument("no output " + name);
}

/// ∂τ/∂π is the regressor, and ∂q̈/∂π = −M⁻¹ Y at the acceleration that the torques give.
void check_slopes(const Model& robot, unsigned seed) {
  const std::vector<int> columns = all_columns(robot);
  const ParameterInputs inputs = inputs_of(robot, columns);
  const Program inverse = algorithm_program(robot, "rnea-derivatives", {}, false, inputs),
                forward = algorithm_program(robot, "aba-derivatives", {}, false, inputs),
                accelerations = algorithm_program(robot, "aba", {}, false, inputs);
  std::mt19937 rng(seed);
  const State s = random_state(robot, rng);
  const Numbers pi = drawn(robot, seed);
  const Model other = robot_with(robot, pi);
  const auto n = static_cast<std::size_t>(robot.nv), count = columns.size();
  RegressorWorkspace<double> work(other);
  Numbers Y(n * count);
  regressor(other, work, s.q.data(), s.v.data(), s.a.data(), Y.data());
  CHECK(norm_error(output(inverse, run(inverse, s, pi), "dtau_dpi"), Y) < 1e-12);

  const Numbers a = run(accelerations, s, pi).at(0);
  regressor(other, work, s.q.data(), s.v.data(), a.data(), Y.data());
  Workspace<double> dynamics(other);
  Numbers Minv(n * n), expected(n * count, 0.0);
  minverse(other, dynamics, s.q.data(), Minv.data());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < count; ++c) expected[i * count + c] -= Minv[i * n + k] * Y[k * count + c];
  const Numbers slopes = output(forward, run(forward, s, pi), "dddq_dpi");
  CHECK(norm_error(slopes, expected) < 1e-10);

  Numbers differences(n * count);
  for (std::size_t c = 0; c < count; ++c) {
    const double step = 1e-6 * std::max(1e-3, std::abs(pi[c]));
    Numbers more = pi, less = pi;
    more[c] += step, less[c] -= step;
    const Numbers up = run(accelerations, s, more).at(0), down = run(accelerations, s, less).at(0);
    for (std::size_t i = 0; i < n; ++i) differences[i * count + c] = (up[i] - down[i]) / (more[c] - less[c]);
  }
  CHECK(norm_error(slopes, differences) < 1e-6);
}

/// A free body with four legs of two hinges.
Model spider() {
  std::mt19937 rng(9);
  ModelBuilder builder("spider");
  builder.root("body", random_inertia(rng), true);
  for (const std::string leg : {"a", "b", "c", "d"})
    for (int k = 0; k < 2; ++k) {
      JointSpec spec;
      spec.kind = JointKind::revolute, spec.axis = random_vector(rng);
      builder.link(leg + std::to_string(k), random_inertia(rng), k == 0 ? "body" : leg + "0",
                   "joint_" + leg + std::to_string(k), spec, random_pose(rng));
    }
  return builder.build();
}

/// The robot whose rotors, as constants, have no inertia.
Model without_rotors(Model model) {
  for (JointPhysics& p : model.physics) p.armature = 0;
  return model;
}

}  // namespace

TEST_CASE("derivatives by parameters are the regressor, and what M makes of it") {
  check_slopes(tree_of_hinges(true), 1);
  check_slopes(tree_of_every_kind(false), 2);
}

TEST_CASE("parameters as inputs of compiled programs whose equal branches are lanes, other ones in each sample") {
  const Model robot = spider();
  std::vector<int> columns = all_columns(robot);
  columns.resize(10 * robot.joints.size());  // what joints add stays at its place, so that branches with friction are no lanes
  const VectorisedProgram program = vectorised_program(robot, "rnea", false, inputs_of(robot, columns));
  CHECK(program.superwords != nullptr);
  const std::size_t count = program.program.inputs().back().elements.size(), n = 5;
  for (const std::string& compiler : c_compilers()) {
    if (compiler != c_compilers().front()) continue;
    const CompiledProgram compiled(emit_c(program, "f"), "f", strictly(compiler, "-O1"));
    std::mt19937 rng(3);
    std::vector<Numbers> in{Numbers(static_cast<std::size_t>(robot.nq) * n), Numbers(static_cast<std::size_t>(robot.nv) * n),
                            Numbers(static_cast<std::size_t>(robot.nv) * n), Numbers(count * n)};
    Numbers torques(static_cast<std::size_t>(robot.nv) * n);
    std::vector<Numbers> expected;
    for (std::size_t s = 0; s < n; ++s) {
      const State state = random_state(robot, rng);
      const Numbers all = with_columns(robot, columns, drawn(robot, static_cast<unsigned>(s))), pi = picked(all, columns);
      const std::vector<const Numbers*> own{&state.q, &state.v, &state.a, &pi};
      for (std::size_t k = 0; k < own.size(); ++k)
        for (std::size_t e = 0; e < own[k]->size(); ++e) in[k][e * n + s] = (*own[k])[e];
      const Model other = robot_with(robot, all);
      Workspace<double> work(other);
      expected.emplace_back(static_cast<std::size_t>(robot.nv));
      rnea(other, work, state.q.data(), state.v.data(), state.a.data(), static_cast<const Force<double>*>(nullptr),
           expected.back().data());
      const double* arg[] = {state.q.data(), state.v.data(), state.a.data(), pi.data()};
      Numbers tau(static_cast<std::size_t>(robot.nv));
      double* res[] = {tau.data()};
      REQUIRE(compiled.call(arg, res) == 0);
      CHECK(norm_error(tau, expected.back()) < 1e-12);
    }
    const double* arg[] = {in[0].data(), in[1].data(), in[2].data(), in[3].data()};
    double* res[] = {torques.data()};
    compiled.batch(arg, res, static_cast<long>(n));
    for (std::size_t s = 0; s < n; ++s) {
      Numbers tau;
      for (std::size_t e = 0; e < static_cast<std::size_t>(robot.nv); ++e) tau.push_back(torques[e * n + s]);
      CHECK(norm_error(tau, expected[s]) < 1e-12);
    }
  }
}

TEST_CASE("parameters as inputs of sensor sets that are inverse or forward dynamics, rotors too") {
  const Model robot = tree_of_hinges(GENERATE(false, true));
  const std::vector<int> columns = all_columns(robot);
  const Numbers pi = drawn(robot, 8);
  const Model other = robot_with(robot, pi);
  std::mt19937 rng(8);
  const State s = random_state(robot, rng);
  const System system(without_rotors(robot), load_sensor_set("forward-dynamics"));
  const Program forward = plain_dynamics_program(system, {"ddq"}, required_inputs(system), inputs_of(robot, columns));
  REQUIRE(forward.inputs().back().name == "pi");
  Numbers a(static_cast<std::size_t>(robot.nv)), y;
  Workspace<double> work(other);
  const std::size_t driven = forward.inputs().at(2).elements.size(), undriven = static_cast<std::size_t>(robot.nv) - driven;
  Numbers tau = s.tau;
  std::fill_n(tau.begin(), undriven, 0.0);  // the base's
  y.assign(tau.begin() + static_cast<std::ptrdiff_t>(undriven), tau.end());
  REQUIRE(aba(other, work, s.q.data(), s.v.data(), tau.data(), static_cast<const Force<double>*>(nullptr), a.data()).ok());
  const std::vector<Numbers> found =
      evaluated(forward, {{"q", s.q.data()}, {"dq", s.v.data()}, {"y", y.data()}, {"pi", pi.data()}});
  CHECK(norm_error(found.at(0), a) < 1e-11);
}

TEST_CASE("base parameters as inputs of programs give the dynamics of a robot, with all others zero") {
  const Model robot = GENERATE(tree_of_hinges(false), tree_of_hinges(true), tree_of_every_kind(false));
  const std::size_t bodies = 10 * robot.joints.size();
  std::vector<int> of_bodies(bodies);
  std::iota(of_bodies.begin(), of_bodies.end(), 0);
  const BaseParameters base = base_parameters_by_rules(robot, of_bodies);
  ParameterInputs inputs{base.independent, base.values(parameters(robot)), {}};
  for (int k : of_bodies)
    if (!std::binary_search(base.independent.begin(), base.independent.end(), k)) inputs.absent.push_back(k);
  REQUIRE(inputs.columns.size() < bodies);
  std::mt19937 rng(6);
  const State s = random_state(robot, rng);
  const Numbers pi = with_columns(robot, of_bodies, drawn(robot, 7)), beta = base.values(pi);
  for (const std::string name : {"rnea", "aba", "crba", "rnea-derivatives"}) {
    const Program program = algorithm_program(robot, name, {}, false, inputs);
    const ByName library = library_values(*find_algorithm(name), robot_with(robot, pi), s);
    const std::vector<Numbers> values = run(program, s, beta);
    for (std::size_t p = 0; p < values.size(); ++p) {
      if (by_parameters(program.outputs()[p])) continue;
      INFO(name << " " << program.outputs()[p].name);
      Numbers reference;
      for (const std::string& element : program.outputs()[p].elements) reference.push_back(library.at(element));
      CHECK(norm_error(values[p], reference) < 1e-10);
    }
  }
}
