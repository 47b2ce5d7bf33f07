// What tells a good factorisation and solution from a bad one, for a sample (Real: double) or a batch of them (Real: a vector).
#pragma once

#include <cmath>
#include <complex>

#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn::lu_health {

/// The magnitude of a number, and the larger of two magnitudes: NaN if either is.
template <class S>
inline double magnitude(const S& x) {
  return std::abs(x);
}
inline double larger(double a, double b) { return a >= b || a != a ? a : b; }
inline double smaller(double a, double b) { return b < a ? b : a; }
inline double unless_zero(double a, double quotient) { return a == 0 ? 0 : quotient; }

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞).
template <class Real, class S>
[[gnu::always_inline]] inline Real backward_error(const Pattern& pattern, const S* entry, const S* b, const S* x) {
  Real residual(0), norm_A(0), norm_x(0), norm_b(0);
  for (int j = 0; j < pattern.columns; ++j) norm_x = larger(norm_x, magnitude(x[j]));
  for (int r = 0; r < pattern.rows; ++r) {
    S rest = b[r];
    Real row(0);
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      rest = rest - entry[e] * x[pattern.column[e]];
      row = row + magnitude(entry[e]);
    }
    residual = larger(residual, magnitude(rest));
    norm_A = larger(norm_A, row);
    norm_b = larger(norm_b, magnitude(b[r]));
  }
  return unless_zero(residual, residual / (norm_A * norm_x + norm_b));
}

/// The largest entry of a row of the matrix.
template <class Real, class S>
[[gnu::always_inline]] inline Real row_size(const Pattern& pattern, const S* entry, int row) {
  Real size(0);
  for (int e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e) size = larger(size, magnitude(entry[e]));
  return size;
}

/// The smallest |u_kk| / max_j |a_kj| that is divided by.
template <class Real, class S>
[[gnu::always_inline]] inline Real smallest_pivot(const Plan& plan, const S* cell) {
  Real smallest(1);
  for (const LUProgram::Pivot& pivot : plan.program.pivots)
    smallest = smaller(smallest, magnitude(cell[pivot.cell]) / row_size<Real>(plan.pattern, cell, pivot.row));
  return smallest;
}

/// max |u| / max |a|, rows of A scaled to 1.
template <class Real, class S>
[[gnu::always_inline]] inline Real growth(const Plan& plan, const S* cell) {
  const LUProgram& program = plan.program;
  Real worst(1);
  for (const LUProgram::GrownRow& grown : program.grown_rows) {
    const Real pivot = magnitude(cell[grown.pivot]);
    Real upper(0);
    for (int u = grown.first_upper; u < grown.end_upper; ++u) upper = larger(upper, magnitude(cell[program.upper[u]]));
    if (grown.divided) upper = pivot * upper;
    worst = larger(worst, larger(pivot, upper) / row_size<Real>(plan.pattern, cell, grown.row));
  }
  return worst;
}

}  // namespace sparsedyn::lu_health
