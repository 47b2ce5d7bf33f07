// What tells a good factorisation and solution from a bad one, for a sample (Real: double) or a pack of them (Real: a vector).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "sparsedyn/solve/plan.hpp"

namespace sparsedyn::lu_health {

/// The magnitude of a number, and the larger of two magnitudes: NaN if either is.
template <class S>
inline double magnitude(const S& x) {
  return std::abs(x);
}
inline double larger(double a, double b) { return a >= b || a != a ? a : b; }
inline double smaller(double a, double b) { return b < a ? b : a; }
inline double unless_zero(double a, double quotient) { return a == 0 ? 0 : quotient; }

/// SolutionErrors of a sample or of a pack.
template <class Real>
struct Errors {
  Real backward, componentwise;
};

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞) and max_i |b − A x|_i / (|A| |x| + |b|)_i, in one pass.
template <class Real, class S>
[[gnu::always_inline]] inline Errors<Real> solution_errors(const Pattern& pattern, const S* entry, const S* b, const S* x) {
  Real residual(0), norm_A(0), norm_x(0), norm_b(0), componentwise(0);
  for (int j = 0; j < pattern.columns; ++j) norm_x = larger(norm_x, magnitude(x[j]));
  for (int r = 0; r < pattern.rows; ++r) {
    S rest = b[r];
    Real row(0), terms = magnitude(b[r]);
    norm_b = larger(norm_b, terms);
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const S product = entry[e] * x[pattern.column[e]];
      rest = rest - product;
      terms = terms + magnitude(product);
      row = row + magnitude(entry[e]);
    }
    const Real size = magnitude(rest);
    residual = larger(residual, size);
    norm_A = larger(norm_A, row);
    componentwise = larger(componentwise, unless_zero(size, size / terms));
  }
  return {unless_zero(residual, residual / (norm_A * norm_x + norm_b)), componentwise};
}

template <class S>
using RealOf = std::decay_t<decltype(std::abs(S()))>;

/// The same signs in every run: the top bit of a linear congruential generator.
class RandomSigns {
 public:
  int next() noexcept {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 63 ? 1 : -1;
  }

 private:
  std::uint64_t state_ = 1;
};

/// ±(|A| |x| + |b|), with random signs.
template <class S>
inline void signed_terms(const Pattern& pattern, const S* entry, const S* b, const S* x, S* out) {
  RandomSigns sign;
  for (int r = 0; r < pattern.rows; ++r) {
    RealOf<S> terms = std::abs(b[r]);
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) terms += std::abs(entry[e] * x[pattern.column[e]]);
    out[r] = S(static_cast<RealOf<S>>(sign.next()) * terms);
  }
}

/// ω₁ + ω₂ of SolutionErrors beside rounding: `moves` is A⁻¹ of the signed terms.
template <class S>
inline double error_beside_rounding(const Pattern& pattern, const S* entry, const S* b, const S* x, const S* moves) {
  const RealOf<S> least = 1000 * static_cast<RealOf<S>>(pattern.columns) * std::numeric_limits<RealOf<S>>::epsilon();
  double large = 0, small = 0;
  for (int r = 0; r < pattern.rows; ++r) {
    S rest = b[r];
    RealOf<S> terms = std::abs(b[r]), sizes = 0;
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const S product = entry[e] * x[pattern.column[e]];
      rest -= product;
      terms += std::abs(product);
      sizes += std::abs(entry[e] * moves[pattern.column[e]]);
    }
    const double size = std::abs(rest);
    if (size == 0) continue;
    if (terms > least * sizes)
      large = std::max(large, size / terms);
    else
      small = std::max(small, size / (terms + sizes));
  }
  return large + small;
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
