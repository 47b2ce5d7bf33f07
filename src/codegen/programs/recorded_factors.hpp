// The factors of one recorded matrix, and what they make of right-hand sides.
#pragma once

#include <algorithm>
#include <vector>

#include "sparse/inverse/inverse_program.hpp"
#include "sparse/steps/steps.hpp"
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
  /// Aᵀ z = c: c by unknowns, z by rows. Uᵀ w = c, then Lᵀ z = w, as BlockSolve::solve_transposed. plan: of the program.
  std::vector<Expr> solve_transposed(const Plan& plan, const std::vector<Expr>& c) const {
    std::vector<Expr> cells = cells_, w, z(c.size());
    run(program_.complete, cells.data());
    const LUProgram::Factors& f = program_.factors;
    const auto divided = [&](std::size_t k, const Expr& x) {
      const int cell = f.reciprocal[k];
      return cell == no_cell ? x : cell == minus_one ? -x : cells[static_cast<std::size_t>(cell)] * x;
    };
    const auto take_off = [&](const Expr& x, int first, int end, const std::vector<int>& from, const std::vector<int>& place) {
      for (int e = first; e < end; ++e) w[place[e]] -= cells[static_cast<std::size_t>(from[e])] * x;
    };
    const Elimination& e = plan.elimination;
    for (int column : plan.order.columns) w.push_back(c[static_cast<std::size_t>(column)]);
    for (std::size_t k = 0; k < w.size(); ++k) {
      if (!f.divides_upper[k]) w[k] = divided(k, w[k]);
      take_off(w[k], e.upper_start[k], e.upper_start[k + 1], f.upper, e.upper);
    }
    for (std::size_t k = w.size(); k-- > 0;) {
      if (f.divides_upper[k]) w[k] = divided(k, w[k]);
      take_off(w[k], e.lower_start[k], e.lower_start[k + 1], f.lower, e.lower);
    }
    for (std::size_t k = 0; k < w.size(); ++k) z[static_cast<std::size_t>(plan.order.rows[k])] = w[k];
    return z;
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
