// The factors of one recorded matrix, and what they make of right-hand sides.
#pragma once

#include <algorithm>
#include <vector>

#include "sparse/inverse/inverse_program.hpp"
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
  /// All cells after the sweep of that program, which goes on behind the factors.
  std::vector<Expr> sweep(const InverseProgram& inverse) const {
    std::vector<Expr> cells = cells_;
    cells.resize(static_cast<std::size_t>(inverse.cells), Expr(0.0));
    if (inverse.needs_complete) run(program_.complete, cells.data());
    run(inverse.sweep, cells.data());
    return cells;
  }

 private:
  const LUProgram& program_;
  std::vector<Expr> cells_;
};

}  // namespace sparsedyn
