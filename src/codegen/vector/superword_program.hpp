// A superword program: isomorphic operations of one sample are done at once, each in a lane of a vector. They need not be
// searched for: the recording says where it does the same for several things, such as isomorphic branches or the freedoms of
// one branch. The k-th calls for all of these make one operation on vectors. What is equal in all lanes stays a number.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

struct VectorNode {
  enum class Kind {
    constant,   // value
    input,      // port, element
    angle,      // sine or cosine (op) of the program's angle number `element`
    operation,  // op, a, b: wide if the result is; operands that are not wide are the same in all lanes
    lane,       // number `element` of vector a
    turned,     // vector a, whose lane k is lane k + element here
    numbers,    // vector of constants
    gathered,   // vector of leaves: constants, inputs, sines, cosines
    spread,     // number a in all lanes
    inserted,   // vector a, lane number `element` being number b
    merged      // vector a, but lane l is lane picks[l] of vector b where that is not negative
  };
  Kind kind = Kind::constant;
  bool wide = false;
  Op op = Op::constant;
  Ref a, b;
  double value = 0;
  int port = 0, element = 0;
  std::vector<double> values;  // of numbers
  std::vector<Ref> leaves;     // of gathered; no_node: a lane that nothing uses
  std::vector<int> picks;      // of merged
};

/// Elements of an output, next to each other, that are the first lanes of one vector.
struct VectorOutput {
  int port, first, lanes;
  Ref vector;
};

struct SuperwordProgram {
  int lanes;
  std::vector<VectorNode> nodes;           // in the order of evaluation; nodes[0] is zero
  std::vector<std::vector<Ref>> results;   // numbers; no_node for elements of columns
  std::vector<VectorOutput> columns;       // in the order of evaluation
  std::vector<std::vector<int>> elements;  // for each output and place, which of the Program's elements stands there

  static constexpr std::int32_t no_node = -1;
};

/// results: of the recording. any_order: for each output whether the order of its elements is free. Sines and cosines are found
/// among those of `program`, which computes the same. nullptr where vectors cannot do it, or save too few operations.
std::shared_ptr<const SuperwordProgram> superword_program(const Graph& graph, const Calls& calls,
                                                          const std::vector<std::vector<Ref>>& results,
                                                          const std::vector<bool>& any_order, int lanes,
                                                          const Program& program);

/// Instructions, roughly.
double cost(const SuperwordProgram& program);

}  // namespace sparsedyn
