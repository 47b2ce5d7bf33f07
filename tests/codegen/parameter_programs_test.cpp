// Programs with the robot's parameters as inputs: the programs without them at the robot's own parameters, and the algorithms
// on robots with other parameters elsewhere.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/regressor.hpp"
#include "support/coupled.hpp"
#include "support/robots.hpp"
#include "varied_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Of all algorithms that depend on the parameters.
std::vector<std::string> dynamics_algorithms() {
  std::vector<std::string> names;
  for (const std::string& name : program_algorithms())
    if (name.rfind("regressor", 0) != 0 && name != "kinematics" && name.rfind("jacobian", 0) != 0) names.push_back(name);
  return names;
}

void check_program(const Model& robot, const std::string& name, const std::vector<int>& columns, unsigned seed) {
  INFO(name);
  const Program constant = algorithm_program(robot, name),
                varying = algorithm_program(robot, name, {}, false, inputs_of(robot, columns));
  REQUIRE(varying.inputs().back().name == "pi");
  REQUIRE(varying.inputs().size() == constant.inputs().size() + 1);
  const std::vector<std::string> names = parameter_names(robot);
  REQUIRE(varying.inputs().back().elements.size() == columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    CHECK(varying.inputs().back().elements[k] == "pi." + names[static_cast<std::size_t>(columns[k])]);

  std::mt19937 rng(seed);
  const State s = random_state(robot, rng);
  const std::vector<Numbers> expected = run(constant, s, {}), own = run(varying, s, picked(parameters(robot), columns));
  for (std::size_t p = 0; p < constant.outputs().size(); ++p) {
    const Port &port = constant.outputs()[p], &other = varying.outputs()[p];
    INFO(port.name);
    ByName found;
    for (std::size_t e = 0; e < other.elements.size(); ++e) found[other.elements[e]] = own[p][e];
    Numbers x;
    for (const std::string& element : port.elements) x.push_back(found.at(element));
    CHECK(norm_error(x, expected[p]) < 1e-12);
  }
  const Numbers pi = with_columns(robot, columns, drawn(robot, seed));
  const Model other = robot_with(robot, pi);
  ByName library = library_values(*find_algorithm(name), other, s);
  if (name == "coriolis") library.merge(library_values(*find_algorithm("crba"), other, s));  // programs give M beside C
  const std::vector<Numbers> values = run(varying, s, picked(pi, columns));
  for (std::size_t p = 0; p < varying.outputs().size(); ++p) {
    const Port& port = varying.outputs()[p];
    if (by_parameters(port)) continue;
    INFO(port.name);
    Numbers reference;
    for (const std::string& element : port.elements) reference.push_back(library.at(element));
    CHECK(norm_error(values[p], reference) < 1e-11);
  }
}

void check_all(const Model& robot) {
  for (const std::string& name : dynamics_algorithms())
    if (misfit_of(robot, name).found.empty()) check_program(robot, name, all_columns(robot), 1);
}

}  // namespace

TEST_CASE("parameters as inputs of programs, of hinges and slides on the ground") { check_all(tree_of_hinges(false)); }

TEST_CASE("parameters as inputs of programs, of hinges and slides on a free base") { check_all(tree_of_hinges(true)); }

TEST_CASE("parameters as inputs of programs, of every kind of joint") {
  const Model robot = tree_of_every_kind(GENERATE(false, true));
  for (const std::string name :
       {"rnea", "aba", "crba", "minverse", "coriolis", "gravity", "energy", "hamilton", "momentum", "momentum-rate",
        "centroidal-momentum-matrix", "centre-of-mass-jacobian", "rnea-derivatives", "aba-derivatives"})
    check_program(robot, name, all_columns(robot), 2);
}

TEST_CASE("parameters as inputs of programs, of coupled joints") {
  TreeOptions options;
  options.floating = true;
  const Model robot = random_coupled_robot(with_joint_physics(random_tree(4, 11, options), 4), 9).model;
  for (const std::string name : {"rnea", "aba", "coriolis", "energy", "momentum", "aba-derivatives"})
    check_program(robot, name, all_columns(robot), 3);
}

TEST_CASE("some parameters as inputs of programs leave the others constant") {
  const Model robot = tree_of_hinges(true);
  const std::vector<std::string> names = parameter_names(robot);
  const int joints = 10 * static_cast<int>(robot.joints.size());
  // one body; a mass and a moment of others; damping and friction of two joints; all armatures
  std::vector<std::vector<int>> choices{{20, 21, 22, 23, 24, 25, 26, 27, 28, 29}, {10, 34}, {joints + 1, joints + 6}, {}};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].find(".armature") != std::string::npos) choices.back().push_back(static_cast<int>(k));
  for (const std::vector<int>& columns : choices)
    for (const std::string name : {"rnea", "aba", "momentum-rate"}) check_program(robot, name, columns, 4);
}

TEST_CASE("masses and friction that a robot has not can be inputs all the same") {
  Model robot = random_tree(3, 2);
  Numbers pi = parameters(robot);
  std::fill(pi.begin() + 20, pi.begin() + 30, 0.0);
  robot = robot_with(robot, pi);
  robot.physics.clear();
  for (const char* name : {"rnea", "crba", "rnea-derivatives"}) check_program(robot, name, all_columns(robot), 5);
}

TEST_CASE("a program without parameters as inputs does not know of them") {
  const Model robot = tree_of_hinges(true);
  for (const char* name : {"rnea", "aba-derivatives"}) {
    const VectorisedProgram plain = vectorised_program(robot, name), none = vectorised_program(robot, name, false, {});
    CHECK(emit_c(plain, "f").source == emit_c(none, "f").source);
    for (const Port& port : plain.program.inputs()) CHECK(port.name != "pi");
    for (const Port& port : plain.program.outputs()) CHECK_FALSE(by_parameters(port));
  }
  CHECK_THROWS_AS(algorithm_program(robot, "regressor-times", {}, false, inputs_of(robot, {0})), std::invalid_argument);
}
