// A program whose equal branches (legs, arms) are lanes of vectors: one operation on a vector does for each of them what a
// Program does one after the other. Nothing is looked for among operations: the algorithm is recorded once for each cyclic
// change of places of the branches, in one graph, and the k-th call of all these recordings is one operation on vectors. What
// is the same in all lanes (the base's motion, sums over the branches) stays a number.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/program/expr.hpp"
#include "sparsedyn/program/program.hpp"

namespace sparsedyn {

struct LaneNode {
  enum class Kind {
    constant,   // value
    input,      // port, element
    angle,      // sine or cosine (op) of the program's angle number `element`
    operation,  // op, a, b: wide if the result is; operands that are not wide are the same in all lanes
    lane,       // number `element` of vector a
    turned,     // vector a, whose lane k is lane k + element here
    numbers,    // vector of constants
    gathered    // vector of leaves: constants, inputs, sines, cosines
  };
  Kind kind = Kind::constant;
  bool wide = false;
  Op op = Op::constant;
  Ref a, b;
  double value = 0;
  int port = 0, element = 0;
  std::vector<double> values;  // of numbers
  std::vector<Ref> leaves;     // of gathered
};

struct LaneProgram {
  int lanes;
  std::vector<LaneNode> nodes;  // operands first; nodes[0] is zero
  std::vector<std::vector<Ref>> results;
};

/// calls[l]: of the recording in which the branches have changed places by l; they must be as many. results: those of the
/// first. nullptr where the recordings differ in more than numbers, or where vectors would save too few operations to be worth
/// it. Sines and cosines are found among `program`'s, which computes the same.
std::shared_ptr<const LaneProgram> lane_program(const Graph& graph, const std::vector<std::vector<Call>>& calls,
                                                const std::vector<std::vector<Ref>>& results, const Program& program);

}  // namespace sparsedyn
