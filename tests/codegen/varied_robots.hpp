// Robots whose parameters are drawn, and what programs with parameters as inputs are compared with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/algorithms/algorithm.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "support/states.hpp"

namespace sparsedyn::test {

using Numbers = std::vector<double>;
using ByName = std::map<std::string, double>;

/// The robot whose parameters are pi, put together from each body's mass, first moments and inertia tensor.
Model robot_with(const Model& robot, const Numbers& pi);

/// These parameters of the robot.
ParameterInputs inputs_of(const Model& robot, const std::vector<int>& columns);
std::vector<int> all_columns(const Model& robot);

/// Parameters of heavier and lighter bodies, whose axes are tilted a little, and of joints with other friction.
Numbers drawn(const Model& robot, unsigned seed);

/// pi at `columns`, the robot's own numbers elsewhere.
Numbers with_columns(const Model& robot, const std::vector<int>& columns, const Numbers& pi);
Numbers picked(const Numbers& pi, const std::vector<int>& columns);

/// The program's outputs.
std::vector<Numbers> run(const Program& program, const State& s, const Numbers& pi);
/// What the library's algorithm gives, by the names of columns.
ByName library_values(const Algorithm& algorithm, const Model& model, const State& s);

/// Whether an output is a derivative by parameters.
bool by_parameters(const Port& port);

/// Three hinges and slides, and every kind of joint, with rotors, friction and, once, a spring.
Model tree_of_hinges(bool floating);
Model tree_of_every_kind(bool floating);

}  // namespace sparsedyn::test
