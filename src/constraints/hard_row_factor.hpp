// Hard rows by a factor of their own, for states at which proximal steps tell them badly: J M⁻¹ Jᵀ has eigenvalues that are
// small beside 10⁻⁶ of its usual ones where a linkage is nearly flat, and none of a direction at which it is flat.
//   (H  −Jᵀ) (x)   (f)
//   (J   0 ) (λ) = (g)
// With S (H + Jᵀ E J) S of about unit diagonal, E = 10⁻⁶ D, the rows E^½ J S = V Σ Uᵀ say Uᵀ S⁻¹ x = Σ⁻¹ Vᵀ E^½ g: as much, by
// an orthonormal basis, so that none is weak beside another. Redundant rows share their force as proximal steps have it.
#pragma once

#include <vector>

#include "rows.hpp"

namespace sparsedyn {

/// What is judged at a state, beside how much the rows say at the postures. Generated code has the same numbers.
struct HardRowLimits {
  static constexpr double firm = 1e-4;   // of squares of rows: what is said firmly
  static constexpr double lost = 1e-12;  // of the largest singular value: below it is rounding
};

/// All memory is taken by the constructor.
class HardRowFactor {
 public:
  /// Of the hard rows of `rows`, which must outlive it. `postures`: states of the robot (nq) that tell how much the rows
  /// say; without any, each state tells its own.
  HardRowFactor(const Model& model, ConstraintRows& rows, const std::vector<std::vector<double>>& postures);

  bool any() const noexcept { return !hard_.empty(); }
  /// Whether some rows follow from others at every posture.
  bool has_redundant_rows() const noexcept { return measured_ && rank_ < static_cast<int>(hard_.size()); }
  /// Whether the rows at their state say some direction less than a hundredth as firmly as elsewhere. O(rows² nv).
  bool weak() noexcept;
  /// Takes the rows at their state, and the diagonal of M (nv × nv). -1, or a row that follows from others at this state alone.
  int take(const double* M) noexcept;
  /// Of H (nv × nv, the lower triangle). -1, or the freedom that moves no mass.
  int factor(const double* H) noexcept;
  /// f: nv; g, lambda: all rows, of which the hard ones are read and written; x: nv, written; not f itself.
  void solve(const double* f, const double* g, double* x, double* lambda) noexcept;
  /// Of `lambda` (all rows) in place, of the hard rows after take(): of all forces with its Jᵀ λ that of the least Σ λ²/E.
  void keep_least(double* lambda) noexcept;
  /// The motion y (nv) with λ = E J y, of the least Σ (y/S)²: of forces as keep_least leaves them.
  void motion_of(const double* lambda, double* y) const noexcept;
  /// The hard rows of x (all rows) become E x.
  void weigh(double* x) const noexcept;
  /// The hard rows of x (all rows) become E x less what keep_least keeps of it: the part that Jᵀ takes to zero.
  void keep_null_space(double* x) noexcept;
  /// Whether J x = g to rounding beside what is summed, or beside `least` (of a length: times RowBlock::unit); else `row` is
  /// one that misses most.
  bool met(const double* x, const double* g, int& row, double least = 0) const noexcept;

  const std::vector<int>& rows() const noexcept { return hard_; }

  // Of the postures: of each hard row the largest, how many rows say something firmly, and how many at all.
  const std::vector<double>& sizes() const noexcept { return size_; }
  int firm_rows() const noexcept { return most_firm_; }
  int rank() const noexcept { return rank_; }

 private:
  void measure(const Model& model, const std::vector<std::vector<double>>& postures);
  /// Of the rows of each point or turn, what they are judged beside.
  void judge_points_and_turns() noexcept;
  int rows_above(double least) noexcept;
  void rotate_columns() noexcept;

  ConstraintRows& all_;
  std::size_t n_, m_;
  std::vector<int> hard_;          // rows
  std::vector<double> size_;       // of each hard row, what it is judged beside: the largest over the postures
  bool measured_;                  // by postures
  int rank_ = 0, most_firm_ = 0;   // the best over the postures
  std::vector<double> gram_;       // m × m
  std::vector<double> S_, E_;      // nv, m: E^½
  std::vector<double> U_, V_;      // m columns of nv, m columns of m
  std::vector<double> sigma_;      // m, the largest first
  std::vector<double> L_, W_, T_;  // nv × nv; rank columns of nv; rank × rank
  std::vector<double> c_, y_;      // m, nv
};

}  // namespace sparsedyn
