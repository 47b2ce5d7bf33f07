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
  not_finite_input,  // a value of the matrix or of the right-hand side is; `row` names the equation
  overflow,          // finite input, but the solution is not finite, first at `column` in the order of elimination
  inaccurate,        // a solution, but its backward error is above what was asked for (Solver)
  no_sample          // Estimator::take of a sample that was not prepared
};

/// The same, and where.
struct LUStatus {
  LUState state = LUState::ok;                      // what happened
  int column = -1, row = -1;                        // of the pattern, or -1
  bool ok() const { return state == LUState::ok; }  // the result may be used
};

/// How far A x is from b.
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
  /// Takes all memory: plan.program.cells numbers and 2 n.
  explicit ZeroFillLU(const Plan& plan);

  /// Where the matrix goes: entries of the plan's pattern, in its order. Not changed by what follows.
  S* values() noexcept { return cell_.data(); }
  /// Where b goes, a number a row. Not changed by what follows.
  S* right_side() noexcept { return cell_.data() + plan_->program.right_side; }

  /// A = L U for values(). Cost: plan.factor_flops().
  LUStatus factor() noexcept;
  LUStatus factor(const S* values) noexcept;  // copies the values first
  /// A x = b for right_side() after factor(). Writes the n unknowns, in the order of the pattern's columns; those that the
  /// plan's outputs leave out are written as they lie in memory: finite, without meaning. Cost: plan.solve_flops().
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
  /// Refines x, at most three times, until both errors are within `tolerance`, and returns the errors that are left. `found`:
  /// errors(x). `steps` grows by the number of refinements. A robot at rest has equations all of whose terms are zero but for
  /// rounding, and their own terms say nothing. So `componentwise` is at most what the unknowns show,
  ///   max_j min(|s_j| / |x_j|, ε |s_j| / z_j)   over the unknowns that are not zero,
  /// s the last correction, z what rounding of all equations, ±2 to 4 ε (|A| |x| + |b|), moves each unknown by: backward errors
  /// of that size explain the correction (after Skeel 1980). A small unknown that no large one disturbs keeps its digits, for z
  /// is small there too. Zero is an unknown that lies, with its correction, within 16 ε of what the first correction and z
  /// bring into some equation with it (rounding of rounding), or within what such zeros bring. Where z moves an unknown that is
  /// not below 1e-10 max |x| by a tenth, it has no digits, and `componentwise` is at least 1. Cost of z: two solves.
  SolutionErrors improve(S* x, const SolutionErrors& found, double tolerance, long& steps) noexcept;
  /// Whether some pivot is so small beside its row, below `doubtful_pivot`, that vanishing_pivot() has to tell whether it is
  /// rounding. `norm`: ‖A‖∞.
  bool doubtful(double norm) const noexcept;
  /// Beside its row.
  static constexpr double doubtful_pivot = 1e-9;
  /// The unknown of the first pivot that is no more than rounding, or -1, whatever the units of rows and unknowns: it moves by
  /// a tenth or more when every entry moves by 450 to 900 ε (1e-13) of itself, up or down; entries that are ±1 at every state
  /// stay. `moved`: the matrix a hair beside its state (RoundingProbe), where entries that are rounding are others, or
  /// values(). After factor(), whose factors it leaves as they were; two factorisations.
  int vanishing_pivot(const S* moved) noexcept;
  /// The first unknown of x of which rounding leaves no digit, or -1: one solve with the rounding of each equation,
  /// r_i = ±2 to 4 ε (|A| |x| + |b|)_i, moves it by a tenth or more of the largest term of the row that the order takes it
  /// from. Pivots need not be small for that: each may lose digits to the one before it. All of x must be known.
  int unknown_without_digits(const S* x) noexcept;
  /// max |u| / max |a| after each row of A is scaled to a largest entry of 1; rows that elimination leaves alone count as 1.
  double growth() const noexcept;
  /// The smallest pivot that is divided by, |u_kk| / max_j |a_kj|: near rounding, the matrix is singular, or as good as, at
  /// this state. 1 where no pivot is divided by.
  double smallest_pivot() const noexcept;
  /// 1 where nothing grows, near 0 where digits are lost.
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
