#include "sparsedyn/sparse/zero_fill_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lu_health.hpp"
#include "refinement.hpp"

namespace sparsedyn {
namespace {

inline bool is_finite(double x) { return x - x == 0; }
inline bool is_finite(float x) { return x - x == 0; }
inline bool is_finite(const std::complex<double>& x) { return is_finite(x.real()) && is_finite(x.imag()); }

}  // namespace

template <class S>
ZeroFillLU<S>::ZeroFillLU(const Plan& plan, int cells)
    : plan_(&plan),
      cell_(std::max(plan.program.cells, cells), S(0)),
      saved_right_side_(plan.pattern.rows, S(0)),
      refinement_(plan),
      saved_values_(plan.pattern.entries(), S(0)),
      saved_pivots_(plan.program.pivots.size(), S(0)) {}

template <class S>
LUStatus ZeroFillLU<S>::factor() noexcept {
  run(plan_->program.factor, cell_.data());
  for (const LUProgram::Pivot& pivot : plan_->program.pivots) {
    const S& inverse = cell_[pivot.reciprocal];
    if (is_finite(inverse) && inverse != S(0)) continue;
    if (is_finite(cell_[pivot.cell])) return {LUState::zero_pivot, pivot.column, -1};
    const LUStatus input = explain_failure(nullptr);
    return input.ok() ? LUStatus{LUState::overflow, pivot.column, -1} : input;
  }
  return {};
}

template <class S>
LUStatus ZeroFillLU<S>::factor(const S* values) noexcept {
  std::copy_n(values, plan_->pattern.entries(), this->values());
  return factor();
}

template <class S>
LUStatus ZeroFillLU<S>::solve(S* x) noexcept {
  run(plan_->program.solve, cell_.data());
  return write_solution(x);
}

template <class S>
LUStatus ZeroFillLU<S>::solve(const S* right_side, S* x) noexcept {
  std::copy_n(right_side, plan_->pattern.rows, this->right_side());
  return solve(x);
}

template <class S>
LUStatus ZeroFillLU<S>::complete(S* x) noexcept {
  run(plan_->program.complete, cell_.data());
  return write_solution(x);
}

template <class S>
LUStatus ZeroFillLU<S>::write_solution(S* x) const noexcept {
  const std::vector<int>& cells = plan_->program.solution;
  constexpr std::size_t sums = 4;  // which do not wait for one another
  const std::size_t n = cells.size();
  S poison[sums] = {S(0), S(0), S(0), S(0)};  // 0 · x is 0 for every finite x, and NaN for others
  const auto write = [&](std::size_t j, S& sum) {
    x[j] = cell_[cells[j]];
    sum += x[j] * S(0);
  };
  std::size_t j = 0;
  for (; j + sums <= n; j += sums)
    for (std::size_t k = 0; k < sums; ++k) write(j + k, poison[k]);
  for (; j < n; ++j) write(j, poison[0]);
  const S all = (poison[0] + poison[1]) + (poison[2] + poison[3]);
  return is_finite(all) ? LUStatus{} : explain_failure(x);
}

template <class S>
LUStatus ZeroFillLU<S>::explain_failure(const S* x) const noexcept {
  const Pattern& pattern = plan_->pattern;
  for (int r = 0; r < pattern.rows; ++r) {
    bool finite = !x || is_finite(cell_[plan_->program.right_side + r]);
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) finite = finite && is_finite(cell_[e]);
    if (!finite) return {LUState::not_finite_input, -1, r};
  }
  if (x)
    for (int column : plan_->order.columns)
      if (!is_finite(x[column])) return {LUState::overflow, column, -1};
  return {};
}

template <class S>
LUStatus ZeroFillLU<S>::answer(const S* given, S* x) noexcept {
  const int rows = plan_->pattern.rows;
  std::copy_n(right_side(), rows, saved_right_side_.data());
  std::copy_n(given, rows, right_side());
  run(plan_->program.solve, cell_.data());
  run(plan_->program.complete, cell_.data());
  const LUStatus status = write_solution(x);
  std::copy_n(saved_right_side_.data(), rows, right_side());
  return status;
}

template <class S>
LUStatus ZeroFillLU<S>::refine(S* x) noexcept {
  lu_health::residual(plan_->pattern, cell_.data(), right_side(), x, refinement_.rest.data());
  const LUStatus status = answer(refinement_.rest.data(), refinement_.step.data());
  if (status.ok())
    for (int j = 0; j < plan_->pattern.columns; ++j) x[j] += refinement_.step[j];
  return status;
}

template <class S>
SolutionErrors ZeroFillLU<S>::errors(const S* x) const noexcept {
  const auto found =
      lu_health::solution_errors<double>(plan_->pattern, cell_.data(), cell_.data() + plan_->program.right_side, x);
  return {found.backward, found.componentwise, found.norm};
}

template <class S>
SolutionErrors ZeroFillLU<S>::improve(S* x, const SolutionErrors& found, double tolerance, long& steps) noexcept {
  const Refinement<S> solution{plan_->pattern, cell_.data(), right_side(), x, refinement_};
  return sparsedyn::improve(solution, found, tolerance, steps, [&](const S* b, S* z) { return answer(b, z).ok(); });
}

template <class S>
bool ZeroFillLU<S>::doubtful(double norm) const noexcept {
  if (lu_health::least_pivot<double>(plan_->program, cell_.data()) >= doubtful_pivot * norm) return false;  // no row is larger
  return !(smallest_pivot() >= doubtful_pivot);
}

template <class S>
int ZeroFillLU<S>::vanishing_pivot(const S* moved) noexcept {
  const std::vector<LUProgram::Pivot>& pivots = plan_->program.pivots;
  for (std::size_t k = 0; k < pivots.size(); ++k) saved_pivots_[k] = cell_[pivots[k].cell];
  std::copy_n(values(), saved_values_.size(), saved_values_.data());
  lu_health::move_by_rounding(plan_->unit, moved, values(), plan_->pattern.entries());
  run(plan_->program.factor, cell_.data());
  int vanishing = -1;
  for (std::size_t k = pivots.size(); k-- > 0;)
    if (lu_health::vanished(cell_[pivots[k].cell], saved_pivots_[k])) vanishing = pivots[k].column;
  factor(saved_values_.data());
  return vanishing;
}

template <class S>
int ZeroFillLU<S>::unknown_without_digits(const S* x, const double* negligible) noexcept {
  const bool finite = detail::find_noise(plan_->pattern, values(), right_side(), x, refinement_,
                                         [&](const S* b, S* z) { return answer(b, z).ok(); });
  return finite ? lu_health::unknown_lost(*plan_, cell_.data(), right_side(), x, refinement_.noise.data(), negligible)
                : plan_->order.columns.back();
}

template <class S>
double ZeroFillLU<S>::smallest_pivot() const noexcept {
  return lu_health::smallest_pivot<double>(*plan_, cell_.data());
}

template <class S>
double ZeroFillLU<S>::growth() const noexcept {
  return lu_health::growth<double>(*plan_, cell_.data());
}

template class ZeroFillLU<double>;
template class ZeroFillLU<float>;
template class ZeroFillLU<std::complex<double>>;

}  // namespace sparsedyn
