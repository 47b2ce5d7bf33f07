// Numeric LU factorisation and solution by replaying a plan: no pivot search, no branch on values, no heap, and never a
// write outside the plan's pattern.
#pragma once

#include <complex>
#include <vector>

#include "sparsedyn/sparse/detail/refinement_memory.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

/// How a factorisation or solve ended.
enum class LUState {
  ok,
  zero_pivot,        // the pivot of `column` is zero: the order fails at this state, or the matrix is singular
  not_finite_input,  // a value of the matrix or of the right-hand side is not finite; `row` names the equation
  overflow,          // finite input, but the solution is not finite, first at `column` in the order of elimination
  inaccurate,        // a solution whose backward error is above the tolerance (Solver)
  no_sample          // Estimator::take of a sample that was not prepared
};

/// The same, and where.
struct LUStatus {
  LUState state = LUState::ok;                      // what happened
  int column = -1, row = -1;                        // of the pattern, or -1
  bool ok() const { return state == LUState::ok; }  // the result may be used
};

/// Errors of a solution x of A x = b.
struct SolutionErrors {
  double backward = 0;  // ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞): Rigal & Gaches (1967); 0 for x = b = 0
  /// max_i |b − A x|_i / (|A| |x| + |b|)_i: Oettli & Prager (1964). Whatever the units of rows and unknowns, so that small
  /// unknowns count as large ones do. Where all terms of an equation are rounding, the quotient is of order one and says
  /// nothing: see ZeroFillLU::improve.
  double componentwise = 0;
  double norm = 0;  // ‖A‖∞
};

/// S: double, float or std::complex<double>. (Other scalars replay plan.program themselves: see schedule.hpp.)
/// One object a thread. All memory is taken by the constructor; the plan must outlive it.
template <class S>
class ZeroFillLU {
 public:
  /// Takes all memory: plan.program.cells numbers and 2 n. cells: how many numbers instead, where a program of the caller's
  /// goes on behind those of the plan.
  explicit ZeroFillLU(const Plan& plan, int cells = 0);

  /// The matrix: entries of the plan's pattern, in its order. The functions below do not change it.
  S* values() noexcept { return cell_.data(); }
  /// b: one number for each row. The functions below do not change it.
  S* right_side() noexcept { return cell_.data() + plan_->program.right_side; }

  /// A = L U for values(). Cost: plan.factor_flops().
  LUStatus factor() noexcept;
  LUStatus factor(const S* values) noexcept;  // copies the values first
  /// Solves A x = b for right_side() after factor(). Writes the n unknowns, in the order of the pattern's columns. Unknowns
  /// that the plan's outputs leave out get arbitrary finite values. Cost: plan.solve_flops().
  LUStatus solve(S* x) noexcept;
  /// The same; copies the right-hand side first.
  LUStatus solve(const S* right_side, S* x) noexcept;
  /// Computes what the plan's outputs left out, and writes all of x.
  LUStatus complete(S* x) noexcept;

  /// One step of iterative refinement: x += A⁻¹ (b − A x). All of x must be known.
  LUStatus refine(S* x) noexcept;
  /// All of x must be known.
  SolutionErrors errors(const S* x) const noexcept;
  /// The first of them.
  double backward_error(const S* x) const noexcept { return errors(x).backward; }
  /// Refines x, at most three times, until both errors are within `tolerance`, and returns the errors that are left. `found` is
  /// errors(x). `steps` grows by the number of refinements.
  ///
  /// When a robot is at rest, all terms of some equations are rounding, and the componentwise error of such an equation says
  /// nothing. If the first correction moved no unknown above 1e-10 max |x| by a millionth or more, and every equation above
  /// `tolerance` holds zeros alone, `componentwise` is that of the other equations. An equation holds zeros alone if its terms
  /// add up to no more than those of the rounding of its unknowns: 16 ε of the terms of the row that gives the unknown with ±1,
  /// and at most 1e-10 max |x|. Otherwise `componentwise` is bounded by an estimate from the unknowns,
  ///   max_j min(|s_j| / |x_j|, ε |s_j| / z_j)   over the unknowns x_j that do not count as zero.
  /// Here s is the last correction, and z_j is the change of x_j when every equation is perturbed by its rounding, ±2 to 4 ε
  /// (|A| |x| + |b|): a backward error of the estimate's size explains the correction (after Skeel 1980). A small unknown that
  /// no large one disturbs keeps its digits, because its z_j is small too. An unknown counts as zero where it and its
  /// correction lie within 16 ε of what the first correction and z contribute to an equation that holds this unknown, or within
  /// the contribution of other unknowns that count as zero. Where |z_j| is a tenth of |x_j| or more and |x_j| ≥ 1e-10 max |x|,
  /// no digit of x_j is known, and `componentwise` is at least one. Computing z costs two solves.
  SolutionErrors improve(S* x, const SolutionErrors& found, double tolerance, long& steps) noexcept;
  /// Whether a pivot is below `doubtful_pivot` times the largest entry of its row, so that vanishing_pivot() must decide
  /// whether the pivot is rounding. `norm`: ‖A‖∞.
  bool doubtful(double norm) const noexcept;
  /// A share of the largest entry of the pivot's row.
  static constexpr double doubtful_pivot = 1e-9;
  /// The unknown of the first pivot that is no more than rounding, or -1. A pivot is rounding if it changes by a tenth or more
  /// when every entry of the matrix changes by 450 to 900 ε (1e-13) of itself, up or down, except entries that are ±1 at every
  /// state. The result does not depend on the units of rows and unknowns. `moved` is the matrix at a state that differs by
  /// hundreds of roundings (RoundingProbe), or values(). Call it after factor(); the factors are unchanged afterwards. Cost:
  /// two factorisations.
  int vanishing_pivot(const S* moved) noexcept;
  /// The first unknown of x of which rounding leaves fewer than three digits, or -1. The solve is repeated with two right-hand
  /// sides r_i = ±2 to 4 ε (|A| |x| + |b|)_i, the rounding of each equation. An unknown is lost where they move it by a
  /// thousandth or more of the largest term of its pivot's row, and by more than its entry of `negligible` (a number for each
  /// unknown). That can happen without a small pivot, since each step of elimination may lose digits to the one before. All of
  /// x must be known. Cost: two solves.
  int unknown_without_digits(const S* x, const double* negligible) noexcept;
  /// max |u| / max |a| after each row of A is scaled to a largest entry of 1; rows that elimination leaves alone count as 1.
  double growth() const noexcept;
  /// The smallest pivot that is divided by, |u_kk| / max_j |a_kj|: near rounding, the matrix is singular, or as good as, at
  /// this state. 1 where no pivot is divided by.
  double smallest_pivot() const noexcept;
  /// 1 without growth, near 0 if digits are lost.
  double reciprocal_growth() const noexcept { return 1.0 / growth(); }

  /// The k-th pivot that is divided by (plan().program.pivots[k] says whose it is).
  const S& pivot(int k) const noexcept { return cell_[plan_->program.pivots[k].cell]; }

  /// The plan that it replays.
  const Plan& plan() const { return *plan_; }

 private:
  LUStatus write_solution(S* x) const noexcept;
  /// x = A⁻¹ given, all of it; right_side() stays.
  LUStatus answer(const S* given, S* x) noexcept;
  /// x: what came out, or nullptr before there is a right-hand side.
  LUStatus explain_failure(const S* x) const noexcept;

  const Plan* plan_;
  std::vector<S> cell_;              // plan.program.cells
  std::vector<S> saved_right_side_;  // n, for answer
  RefinementMemory<S> refinement_;   // n
  std::vector<S> saved_values_;      // for vanishing_pivot, as
  std::vector<S> saved_pivots_;      // plan.program.pivots
};

extern template class ZeroFillLU<double>;
extern template class ZeroFillLU<float>;
extern template class ZeroFillLU<std::complex<double>>;

}  // namespace sparsedyn
