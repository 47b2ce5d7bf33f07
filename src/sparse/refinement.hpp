// Iterative refinement until both backward errors are within the tolerance (Arioli, Demmel & Duff 1989): one loop for every
// factorisation that can answer a residual.
#pragma once

#include <algorithm>

#include "lu_health.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// A x = b as the plan's pattern has it, and memory for refining x.
template <class S>
struct Refinement {
  const Plan& plan;
  const S *values, *right_side;
  S* x;           // improved
  S* first_step;  // n, written
  double* noise;  // n, written
};

/// At most three steps from the errors `found`. step() adds a correction to x and returns it (n), or nullptr where it fails.
/// Returns the errors that are left, as ZeroFillLU::improve says. noexcept if step is; no heap.
template <class S, class Step>
inline SolutionErrors improve(const Refinement<S>& r, const SolutionErrors& found, double tolerance, Step&& step) {
  const auto within = [&](const SolutionErrors& e) { return e.backward <= tolerance && e.componentwise <= tolerance; };
  const Pattern& pattern = r.plan.pattern;
  SolutionErrors left = found;
  for (int k = 0; k < 3 && !within(left); ++k) {
    const S* correction = step();
    if (!correction) break;
    if (k == 0) std::copy_n(correction, pattern.columns, r.first_step);
    const auto e = lu_health::solution_errors<double>(pattern, r.values, r.right_side, r.x);
    left = {e.backward, e.componentwise, e.norm};
    if (!(left.componentwise > tolerance)) continue;
    lu_health::unknowns_noise(r.plan, r.values, r.right_side, r.x, r.noise);
    left.componentwise = lu_health::error_beside_rounding(pattern, r.values, r.right_side, r.x, r.first_step, r.noise);
  }
  return left;
}

}  // namespace sparsedyn
