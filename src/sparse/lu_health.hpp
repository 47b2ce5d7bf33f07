// What tells a good factorisation and solution from a bad one, for a sample (Real: double) or a batch of them (Real: a vector).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "scalar/larger.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn::lu_health {

/// The magnitude of a number, and the larger of two magnitudes: NaN if either is.
template <class S>
inline double magnitude(const S& x) {
  return std::abs(x);
}
using sparsedyn::larger;
inline double smaller(double a, double b) { return b < a ? b : a; }
inline double unless_zero(double a, double quotient) { return a == 0 ? 0 : quotient; }

/// worst = larger(worst, size / terms), 0 for size = 0; without the division where it cannot matter.
inline void raise_to_quotient(double& worst, double size, double terms) {
  if (size < 0.5 * (worst * terms) || size == 0) return;
  worst = larger(worst, size / terms);
}
template <class Lanes>
[[gnu::always_inline]] inline void raise_to_quotient(Lanes& worst, const Lanes& size, const Lanes& terms) {
  worst = larger(worst, unless_zero(size, size / terms));
}

/// SolutionErrors of a sample or of a batch.
template <class Real>
struct Errors {
  Real backward, componentwise, norm;
};

/// The largest |at(k)|, k < n, or 0; NaN if one is. Bits of doubles without their sign are in the order of the numbers, those
/// of NaN above all, and compare in half the time.
template <class Real, class At>
[[gnu::always_inline]] inline Real largest_magnitude(int n, At&& at) {
  if constexpr (std::is_same_v<std::decay_t<decltype(at(0))>, double>) {
    std::uint64_t most = 0;
    for (int k = 0; k < n; ++k) {
      const double x = at(k);
      std::uint64_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      most = std::max(most, bits << 1 >> 1);
    }
    Real found;
    std::memcpy(&found, &most, sizeof found);
    return found;
  } else {
    Real most(0);
    for (int k = 0; k < n; ++k) most = larger(most, magnitude(at(k)));
    return most;
  }
}

/// What solution_errors says, by most(a, b), the larger of two. sum: of all terms, so that it is not finite where one is not.
template <class Real, class S, class Keep, class Most>
[[gnu::always_inline]] inline Errors<Real> errors_by(const Pattern& pattern, const S* entry, const S* b, const S* x,
                                                     Keep&& keep, Most&& most, Real& sum) {
  Real residual(0), norm_A(0), norm_b(0), componentwise(0);
  const Real norm_x = largest_magnitude<Real>(
      pattern.columns, [x](int j) __attribute__((always_inline)) { return x[j]; });
  for (int r = 0; r < pattern.rows; ++r) {
    S rest = b[r];
    Real row(0), terms = magnitude(b[r]);
    norm_b = most(norm_b, terms);
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const S product = entry[e] * x[pattern.column[e]];
      rest = rest - product;
      terms = terms + magnitude(product);
      row = row + magnitude(entry[e]);
    }
    const Real size = magnitude(rest);
    residual = most(residual, size);
    norm_A = most(norm_A, row);
    raise_to_quotient(componentwise, size, terms);
    sum = sum + (terms + row);
    keep(r, rest, terms);
  }
  return {unless_zero(residual, residual / (norm_A * norm_x + norm_b)), componentwise, norm_A};
}

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞) and max_i |b − A x|_i / (|A| |x| + |b|)_i, in one pass. keep(i, rest, terms) gets
/// (b − A x)_i and (|A| |x| + |b|)_i of each row. Comparisons that see NaN take time: of a sample they are made only where the
/// sum of all terms is not finite, in a second pass.
template <class Real, class S, class Keep>
[[gnu::always_inline]] inline Errors<Real> solution_errors(const Pattern& pattern, const S* entry, const S* b, const S* x,
                                                           Keep&& keep) {
  Real sum(0);
  if constexpr (std::is_same_v<Real, double>) {
    const auto of_finite = [](double a, double c) { return a < c ? c : a; };
    const Errors<Real> found = errors_by(pattern, entry, b, x, keep, of_finite, sum);
    if (sum - sum == 0) return found;
  }
  const auto of_all = [](const Real& a, const Real& c) __attribute__((always_inline)) { return larger(a, c); };
  return errors_by(pattern, entry, b, x, keep, of_all, sum);
}
template <class Real, class S>
[[gnu::always_inline]] inline Errors<Real> solution_errors(const Pattern& pattern, const S* entry, const S* b, const S* x) {
  return solution_errors<Real>(pattern, entry, b, x, [](int, const S&, const Real&) {});
}

template <class S>
using RealOf = std::decay_t<decltype(std::abs(S()))>;

/// The same numbers in every run: the top bits of a linear congruential generator.
class RandomShares {
 public:
  /// Of random sign and a size in [1, 2): were all of one size, a pivot that is the difference of two products would keep its
  /// value by three of eight choices of the signs.
  double next() noexcept {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const double size = 1 + static_cast<double>(state_ << 1 >> 12) * 0x1p-52;
    return state_ >> 63 ? size : -size;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Each entry moved by 450 to 900 roundings of itself; those that are ±1 at every state stay. `moved` may be `values`. Factor:
/// what an entry is multiplied by, of a Real.
template <class S, class Real = RealOf<S>, class Factor = Real>
inline void move_by_rounding(const UnitEntries& unit, const S* values, S* moved, int entries) {
  constexpr double change = 450 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  RandomShares shares;
  for (int e = 0; e < entries; ++e) {
    const Factor factor(static_cast<Real>(1 + change * shares.next()));
    moved[e] = unit.empty() || unit[e] == 0 ? values[e] * factor : values[e];
  }
}

/// Whether a pivot is rounding: the matrix, moved by rounding, has moved the pivot by a tenth of itself or more.
template <class S>
inline bool vanished(const S& now, const S& before) {
  return !(std::abs(now - before) < RealOf<S>(0.1) * std::abs(before));
}

/// rest = b − A x. rest: n.
template <class S>
inline void residual(const Pattern& pattern, const S* entry, const S* b, const S* x, S* rest) {
  for (int r = 0; r < pattern.rows; ++r) {
    rest[r] = b[r];
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) rest[r] -= entry[e] * x[pattern.column[e]];
  }
}

/// r_i = ±2 to 4 ε (|A| |x| + |b|)_i: what rounding leaves of each equation. r: n.
template <class S>
inline void rounding_of_equations(const Pattern& pattern, const S* entry, const S* b, const S* x, RandomShares& shares, S* r) {
  constexpr auto rounding = 2 * std::numeric_limits<RealOf<S>>::epsilon();
  for (int row = 0; row < pattern.rows; ++row) {
    RealOf<S> terms = std::abs(b[row]);
    for (int e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e)
      terms += std::abs(entry[e] * x[pattern.column[e]]);
    r[row] = rounding * static_cast<RealOf<S>>(shares.next()) * terms;
  }
}

/// The largest of n sizes.
template <class S>
inline double largest_size(const S* x, int n) {
  double largest = 0;
  for (int j = 0; j < n; ++j) largest = std::max<double>(largest, std::abs(x[j]));
  return largest;
}

/// The first unknown, in the order of elimination, that `noise` moves by a thousandth or more of the largest term of the row
/// that the order takes it from, or -1. Beside that term, and not beside itself: an unknown may be zero. At rest all terms of a
/// row may be zero but for rounding: noise below `negligible` takes no digit. One whose own entry in that row is zero is passed
/// over.
template <class S>
inline int unknown_lost(const Plan& plan, const S* entry, const S* b, const S* x, const double* noise,
                        const double* negligible) {
  constexpr double most = 1e-3;
  const Pattern& pattern = plan.pattern;
  for (std::size_t k = 0; k < plan.order.rows.size(); ++k) {
    const int row = plan.order.rows[k], column = plan.order.columns[k];
    double largest = std::abs(b[row]), own = 0;
    for (int e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e) {
      largest = std::max<double>(largest, std::abs(entry[e] * x[pattern.column[e]]));
      if (pattern.column[e] == column) own = std::abs(entry[e]);
    }
    const double moved = own * noise[column];
    const bool matters = !(noise[column] < negligible[column]);
    if (moved > 0 && matters && !(moved < most * largest)) return column;
  }
  return -1;
}

/// Beside the largest unknown: below, an unknown that rounding moves as much as itself is as good as zero.
inline constexpr double as_good_as_zero = 1e-10;

/// Finds the unknowns that are zero but for rounding. floor: sizes below which an unknown is rounding of rounding. In each
/// equation, an unknown whose term is within the terms of the floors is zero, and has these terms for a floor from then on:
/// what is zero beside a zero is one. An entry that is tiny in its equation does not tell that (a light link's inertia would
/// make a large acceleration a zero), nor is an unknown zero that is not small. zero: flags, written; floor: raised.
template <class S>
inline void mark_zeros(const Pattern& pattern, const S* entry, const S* x, const S* step, double* floor, char* zero) {
  constexpr int most_passes = 20;
  constexpr double tiny = 1e-4;
  const double small = as_good_as_zero * largest_size(x, pattern.columns);
  std::fill_n(zero, pattern.columns, char(0));
  bool found = true;
  for (int pass = 0; pass < most_passes && found; ++pass) {
    found = false;
    for (int r = 0; r < pattern.rows; ++r) {
      double terms = 0, largest = 0;
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        terms += std::abs(entry[e]) * floor[pattern.column[e]];
        largest = std::max<double>(largest, std::abs(entry[e]));
      }
      if (terms == 0) continue;
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        const int j = pattern.column[e];
        const double size = std::abs(entry[e]), most = std::abs(x[j]) + std::abs(step[j]);
        if (zero[j] || size <= tiny * largest || !(size * most <= terms) || most > small) continue;
        zero[j] = found = true;
        floor[j] = std::max(floor[j], terms / size);
      }
    }
  }
}

/// Whether all terms of a row are zero but for rounding: their sum is within the rounding that unknowns get from the rows that
/// give them, 16 ε (|A| |x| + |b|) of an unknown's unit_row and at most `small`. terms: (|A| |x| + |b|)_i of each row.
template <class S>
inline bool row_of_zeros(const Pattern& pattern, const S* entry, int row, const double* terms, const int* unit_row,
                         double small) {
  constexpr double several_roundings = 16 * std::numeric_limits<RealOf<S>>::epsilon();
  double rounding = 0;
  for (int e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e) {
    const int given_by = unit_row[pattern.column[e]];
    if (given_by >= 0) rounding += std::abs(entry[e]) * std::min(several_roundings * terms[given_by], small);
  }
  return terms[row] <= rounding;
}

/// Whether some unknown that is not small was moved by more than the share `most` of itself.
template <class S>
inline bool some_moved(int unknowns, const S* x, const double* moved, double most, double small) {
  for (int j = 0; j < unknowns; ++j)
    if (moved[j] > small && moved[j] > most * std::abs(x[j])) return true;
  return false;
}

/// Whether rounding of the equations moves some unknown by a thousandth or more of itself. noise: z of error_of_unknowns.
template <class S>
inline bool some_without_digits(int unknowns, const S* x, const double* noise) {
  return some_moved(unknowns, x, noise, 1e-3, as_good_as_zero * largest_size(x, unknowns));
}

/// The componentwise error as the unknowns show it: max_j of the smaller of |s_j| / |x_j| and ε |s_j| / z_j, with s the last
/// correction and z what rounding of the equations moves each unknown by, of those that are not zero.
template <class S>
inline double error_of_unknowns(int unknowns, const S* x, const S* step, const double* noise, const char* zero) {
  constexpr double rounding = std::numeric_limits<RealOf<S>>::epsilon();
  double worst = 0;
  for (int j = 0; j < unknowns; ++j) {
    const double moved = std::abs(step[j]), terms = std::max<double>(std::abs(x[j]), noise[j] / rounding);
    if (!zero[j] && !(moved <= worst * terms)) worst = moved / terms;
  }
  return worst;
}

/// The largest entry of a row of the matrix.
template <class Real, class S>
[[gnu::always_inline]] inline Real row_size(const Pattern& pattern, const S* entry, int row) {
  const S* const first = entry + pattern.row_start[row];
  return largest_magnitude<Real>(
      pattern.row_start[row + 1] - pattern.row_start[row], [first](int k) __attribute__((always_inline)) { return first[k]; });
}

/// The smallest |u_kk| / max_j |a_kj| that is divided by.
template <class Real, class S>
[[gnu::always_inline]] inline Real smallest_pivot(const Plan& plan, const S* cell) {
  Real smallest(1);
  for (const LUProgram::Pivot& pivot : plan.program.pivots)
    smallest = smaller(smallest, magnitude(cell[pivot.cell]) / row_size<Real>(plan.pattern, cell, pivot.row));
  return smallest;
}

/// The smallest |u_kk| that is divided by; infinite where there is none.
template <class Real, class S>
[[gnu::always_inline]] inline Real least_pivot(const LUProgram& program, const S* cell) {
  Real least(std::numeric_limits<double>::infinity());
  for (const LUProgram::Pivot& pivot : program.pivots) least = smaller(least, magnitude(cell[pivot.cell]));
  return least;
}

/// max |u| / max |a|, rows of A scaled to 1.
template <class Real, class S>
[[gnu::always_inline]] inline Real growth(const Plan& plan, const S* cell) {
  const LUProgram& program = plan.program;
  Real worst(1);
  for (const LUProgram::GrownRow& grown : program.grown_rows) {
    const Real pivot = magnitude(cell[grown.pivot]);
    const int* const cells = program.upper.data() + grown.first_upper;
    Real upper = largest_magnitude<Real>(
        grown.end_upper - grown.first_upper, [=](int u) __attribute__((always_inline)) { return cell[cells[u]]; });
    if (grown.divided) upper = pivot * upper;
    worst = larger(worst, larger(pivot, upper) / row_size<Real>(plan.pattern, cell, grown.row));
  }
  return worst;
}

}  // namespace sparsedyn::lu_health
