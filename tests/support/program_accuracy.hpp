// How far programs and the algorithms that they are made from are from the same algorithms in 113 bits.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "support/awkward_robots.hpp"
#include "support/quad.hpp"

namespace sparsedyn::test {

/// Names of algorithm_program that are judged.
std::vector<std::string> judged_algorithms();

/// Largest |x − r| of an output vector over its largest |r|, r being the algorithm's in 113 bits on the same Model; the worst
/// of the outputs. Infinite where a number is not finite.
struct Accuracy {
  bool singular;      // the algorithm finds no answer: nothing is judged
  double algorithm;   // the template in double
  double program;     // the program in double
  double constants;   // the program in 113 bits: what its constants have lost
  double conditions;  // the algorithm in 113 bits on a Model whose numbers are off by one rounding, rotations by one of 1
  /// What the program's error is to be judged beside: what rounding does to the template or to the Model itself.
  double floor() const;
};

/// A program of `algorithm` for the robot's Model, evaluated at a state.
Accuracy accuracy(const Model& model, const std::string& algorithm, const Program& program, const AwkwardState& state);

}  // namespace sparsedyn::test
