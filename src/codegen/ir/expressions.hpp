// A program's operations grouped into expressions: a value of single use belongs to the expression that uses it. What passes
// between expressions are the values that must be kept.
#pragma once

#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// Of the operations after the sines and cosines. Expressions are numbered in the order in which the program ends them.
struct Expressions {
  explicit Expressions(const Program& program);

  int size() const { return static_cast<int>(members.size()); }

  std::vector<int> of;                            // the expression of each node; −1 before the body
  std::vector<std::vector<int>> members;          // nodes, operands first; the last is the value
  std::vector<std::vector<int>> operands, users;  // other expressions, each once
};

/// The same program, expression after expression in this order, in which operands must come first.
Program reordered(const Program& program, const Expressions& expressions, const std::vector<int>& order);

}  // namespace sparsedyn
