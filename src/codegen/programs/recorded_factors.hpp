// A recorded matrix, its factors, and what they make of right-hand sides.
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
  /// `cells`: of the plan's program; the first are the entries of A. The plan must outlive it.
  RecordedFactors(const Plan& plan, std::vector<Expr> cells)
      : plan_(plan),
        program_(plan.program),
        matrix_(cells.begin(), cells.begin() + plan.pattern.entries()),
        cells_(std::move(cells)) {
    run(program_.factor, cells_.data());
  }
  /// A x = b with so many steps of iterative refinement, x ← x + A⁻¹ (b − A x), which find what rounding took from x.
  std::vector<Expr> solve(const std::vector<Expr>& right_side, int refinements = 0) const {
    std::vector<Expr> x = solved(right_side);
    for (int k = 0; k < refinements; ++k) {
      const std::vector<Expr> correction = solved(residual(right_side, x));
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = rounded_sum(x[j], correction[j]);
    }
    return x;
  }
  /// Aᵀ z = c: c by unknowns, z by rows. Uᵀ w = c, then Lᵀ z = w, as BlockSolve::solve_transposed.
  std::vector<Expr> solve_transposed(const std::vector<Expr>& c) const {
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
    const Elimination& e = plan_.elimination;
    for (int column : plan_.order.columns) w.push_back(c[static_cast<std::size_t>(column)]);
    for (std::size_t k = 0; k < w.size(); ++k) {
      if (!f.divides_upper[k]) w[k] = divided(k, w[k]);
      take_off(w[k], e.upper_start[k], e.upper_start[k + 1], f.upper, e.upper);
    }
    for (std::size_t k = w.size(); k-- > 0;) {
      if (f.divides_upper[k]) w[k] = divided(k, w[k]);
      take_off(w[k], e.lower_start[k], e.lower_start[k + 1], f.lower, e.lower);
    }
    for (std::size_t k = 0; k < w.size(); ++k) z[static_cast<std::size_t>(plan_.order.rows[k])] = w[k];
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
  std::vector<Expr> solved(const std::vector<Expr>& right_side) const {
    std::vector<Expr> cells = cells_, x;
    std::copy(right_side.begin(), right_side.end(), cells.begin() + program_.right_side);
    for (const Schedule* part : {&program_.solve, &program_.complete}) run(*part, cells.data());
    for (int cell : program_.solution) x.push_back(cells[static_cast<std::size_t>(cell)]);
    return x;
  }
  /// b − A x, of the numbers as they are rounded: a graph knows that the values of both are equal.
  std::vector<Expr> residual(std::vector<Expr> b, const std::vector<Expr>& x) const {
    const Pattern& pattern = plan_.pattern;
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        b[static_cast<std::size_t>(r)] = rounded_sum(
            b[static_cast<std::size_t>(r)], -rounded_product(matrix_[at], x[static_cast<std::size_t>(pattern.column[at])]));
      }
    return b;
  }

  const Plan& plan_;
  const LUProgram& program_;
  std::vector<Expr> matrix_, cells_;
};

}  // namespace sparsedyn
