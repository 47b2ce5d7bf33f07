// A program's operations grouped into expressions. A value that is used once belongs to the expression that uses it; all other
// values pass from expression to expression and must be kept.
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

/// The same program, its expressions in this order. An expression must come after those whose values it uses.
Program reordered(const Program& program, const Expressions& expressions, const std::vector<int>& order);

}  // namespace sparsedyn
