// The factors of one recorded matrix, and what they make of right-hand sides.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/codegen/expr.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

class RecordedFactors {
 public:
  /// `factored`: the program's cells after its factor schedule. The program must outlive it.
  RecordedFactors(const LUProgram& program, std::vector<Expr> factored) : program_(program), cells_(std::move(factored)) {}
  std::vector<Expr> solve(const std::vector<Expr>& right_side) const {
    std::vector<Expr> cells = cells_, x;
    std::copy(right_side.begin(), right_side.end(), cells.begin() + program_.right_side);
    for (const Schedule* part : {&program_.solve, &program_.complete}) run(*part, cells.data());
    for (int cell : program_.solution) x.push_back(cells[static_cast<std::size_t>(cell)]);
    return x;
  }

 private:
  const LUProgram& program_;
  std::vector<Expr> cells_;
};

}  // namespace sparsedyn
