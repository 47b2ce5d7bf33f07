// Iterative refinement until both backward errors are within the tolerance: one loop for every factorisation that can answer a
// right-hand side.
#pragma once

#include <algorithm>

#include "lu_health.hpp"
#include "sparsedyn/sparse/detail/refinement_memory.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// A x = b as the pattern has it, and memory for refining x.
template <class S>
struct Refinement {
  const Pattern& pattern;
  const S *values, *right_side;
  S* x;  // improved
  RefinementMemory<S>& memory;
};

namespace detail {

/// m.noise: what rounding of the equations A x = b moves each unknown by, |A⁻¹ r₁| + |A⁻¹ r₂| of two r of
/// rounding_of_equations, since one may cancel in some unknown. solve: as that of improve(). False where an answer fails.
template <class S, class Solve>
inline bool find_noise(const Pattern& pattern, const S* values, const S* right_side, const S* x, RefinementMemory<S>& m,
                       Solve&& solve) {
  lu_health::RandomShares shares;
  std::fill(m.noise.begin(), m.noise.end(), 0.0);
  for (int k = 0; k < 2; ++k) {
    lu_health::rounding_of_equations(pattern, values, right_side, x, shares, m.rounding.data());
    if (!solve(m.rounding.data(), m.answer.data())) return false;
    for (std::size_t j = 0; j < m.noise.size(); ++j) m.noise[j] += lu_health::magnitude(m.answer[j]);
  }
  return true;
}

/// The componentwise error once memory.noise is known: as the unknowns show it where that is less, and 1 where some unknown has
/// no digits. An unknown that is zero is left with the rounding of corrections.
template <class S>
inline void judge_beside_noise(const Refinement<S>& r, double& componentwise) {
  constexpr double several_roundings = 16 * std::numeric_limits<lu_health::RealOf<S>>::epsilon();
  RefinementMemory<S>& m = r.memory;
  const int n = r.pattern.columns;
  const double small = lu_health::as_good_as_zero * lu_health::largest_size(r.x, n);
  for (std::size_t j = 0; j < m.floor.size(); ++j)  // a correction that is not small is none of rounding
    m.floor[j] = several_roundings * ((m.first[j] < small ? m.first[j] : 0) + (m.noise[j] < small ? m.noise[j] : 0));
  lu_health::mark_zeros(r.pattern, r.values, r.x, m.step.data(), m.floor.data(), m.zero.data());
  if (lu_health::some_without_digits(n, r.x, m.noise.data()))
    componentwise = std::max(componentwise, 1.0);
  else
    componentwise = std::min(componentwise, lu_health::error_of_unknowns(n, r.x, m.step.data(), m.noise.data(), m.zero.data()));
}

/// Whether no more is in doubt after the first correction than rows of zeros (a joint without torque or acceleration has such
/// rows). The correction is an example of rounding: where it moved an unknown by a millionth, find_noise must tell how many
/// digits are left. (Where residuals are zero by chance it tells nothing; solvers look at small pivots besides.) On success
/// `componentwise` becomes that of the other rows. Cost: one comparison a row and an unknown, and the rows in doubt.
template <class S>
inline bool only_zeros_in_doubt(const Refinement<S>& r, double tolerance, double& componentwise) {
  const RefinementMemory<S>& m = r.memory;
  const double small = lu_health::as_good_as_zero * lu_health::largest_size(r.x, r.pattern.columns);
  double worst = 0;
  for (int row = 0; row < r.pattern.rows; ++row) {
    const double size = std::abs(m.rest[row]);
    if (size <= tolerance * m.terms[row])
      lu_health::raise_to_quotient(worst, size, m.terms[row]);
    else if (!lu_health::row_of_zeros(r.pattern, r.values, row, m.terms.data(), m.unit_row.data(), small))
      return false;
  }
  if (lu_health::some_moved(r.pattern.columns, r.x, m.first.data(), 1e-6, small)) return false;
  componentwise = worst;
  return true;
}

}  // namespace detail

/// At most three steps from the errors `found`. solve(b, x) writes A⁻¹ b to x and returns whether it could. `steps` grows by
/// the number of refinements. Returns the errors that are left, as ZeroFillLU::improve says. noexcept if solve is; no heap.
template <class S, class Solve>
inline SolutionErrors improve(const Refinement<S>& r, const SolutionErrors& found, double tolerance, long& steps,
                              Solve&& solve) {
  const auto within = [&](const SolutionErrors& e) { return e.backward <= tolerance && e.componentwise <= tolerance; };
  RefinementMemory<S>& m = r.memory;
  SolutionErrors left = found;
  bool noise_is_known = false;
  if (!within(left)) lu_health::residual(r.pattern, r.values, r.right_side, r.x, m.rest.data());
  for (int k = 0; k < 3 && !within(left); ++k) {
    if (!solve(m.rest.data(), m.step.data())) break;
    for (int j = 0; j < r.pattern.columns; ++j) r.x[j] += m.step[j];
    if (k == 0) std::transform(m.step.begin(), m.step.end(), m.first.begin(), [](const S& s) { return std::abs(s); });
    ++steps;
    const auto e =
        lu_health::solution_errors<double>(r.pattern, r.values, r.right_side, r.x, [&](int row, const S& rest, double terms) {
          m.rest[static_cast<std::size_t>(row)] = rest, m.terms[static_cast<std::size_t>(row)] = terms;
        });
    left = {e.backward, e.componentwise, e.norm};
    if (!(left.backward <= tolerance) || (within(left) && !noise_is_known)) continue;
    if (k == 0 && detail::only_zeros_in_doubt(r, tolerance, left.componentwise)) break;
    noise_is_known = noise_is_known || detail::find_noise(r.pattern, r.values, r.right_side, r.x, m, solve);
    if (noise_is_known) detail::judge_beside_noise(r, left.componentwise);
  }
  return left;
}

}  // namespace sparsedyn
