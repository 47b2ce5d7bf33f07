// Newton's method on the forces of constraints, with an exact line search. The whole of an iteration is (j, λ):
// M (a − a0) = Jᵀ λ holds from the first step on.
#pragma once

#include <vector>

#include "hard_row_factor.hpp"
#include "inertia_factor.hpp"
#include "rows.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn {

struct NewtonIteration {
  /// The rows, which must outlive it, are those of the state that is asked about.
  /// `postures`: as HardRowFactor takes them.
  NewtonIteration(const Model& model, ConstraintRows& rows, const ConstraintOptions& options,
                  const std::vector<std::vector<double>>& postures);

  /// From M and push (τ − bias + Σ Jᵀ fx), at rows' state: a and λ. `warm`: from j and the active blocks that it was left with.
  /// Hard rows are held by proximal steps, or, where they are weak or these do not settle, by a factor of their own.
  ConstraintStatus iterate(bool warm) noexcept;
  /// (M + Jᵀ h J) a⁺ = push + Jᵀ (f + h (j + a*)),  j⁺ = J a⁺ − a*,  λ⁺ = f − h (j⁺ − j). `sticks`: start where every cone that
  /// counts sticks at j = 0. Returns the freedom without inertia, or -1.
  int step(bool sticks) noexcept;
  /// After iterate(): from now on hard rows, of which there are some, are held by their factor. False where they have lost
  /// rank, which `status` then tells.
  bool hold_exactly(ConstraintStatus& status) noexcept;
  /// Whether some hard rows follow from others at every posture.
  bool has_redundant_rows() const noexcept { return hard_.has_redundant_rows(); }
  /// The factor that holds the hard rows at this state, or nullptr where proximal steps do.
  HardRowFactor* by_hard_factor() noexcept { return exactly_ ? &hard_ : nullptr; }
  /// f(j) of the active blocks.
  void forces(const double* at, double* force_of) noexcept;

  ConstraintRows& rows;
  InertiaFactor factor;
  int nv;
  std::vector<double> M, H;                               // nv × nv
  std::vector<double> push, a, next;                      // nv
  std::vector<double> j, j_next, f, lambda, lambda_next;  // rows
  std::vector<double> slopes;                             // Hessians h, by block

 private:
  ConstraintStatus iterate_as_chosen(bool warm) noexcept;
  ConstraintStatus iterate_exactly(bool warm) noexcept;
  int step_exactly(bool sticks) noexcept;
  /// The law of hard rows is λ itself from now on.
  void begin_exactly() noexcept;
  /// Where hard rows are held by their factor, their force is λ, whatever j.
  void pull_exactly() noexcept;
  /// δ by the last step's factors against what the equations miss, until the hard rows are met.
  bool settle_exactly(double left, ConstraintStatus& status) noexcept;
  int block_of(int row) const noexcept;
  /// hard_ of the rows at this state; false and told of where they have lost rank.
  bool take_hard_rows(ConstraintStatus& status) noexcept;
  void start(bool warm) noexcept;
  /// h of block k, rows × rows.
  const double* slope(int k, bool sticks) noexcept;
  /// H += Jᵀ h J, and h (j + a*) into what is pushed.
  void add_block(int k, bool sticks) noexcept;
  /// λ⁺ −= h (j⁺ − j), with the h that add_block left.
  void add_slope(int k) noexcept;
  /// The root of φ'(α) = Σ (λ + α dλ − f(j + α dj)) · dj, which grows with α: Newton's method between its signs
  /// (line_search.h). A φ' that is rounding says nothing of how far to go: the full step it is then.
  double best_length() noexcept;
  friend void add_slopes(const NewtonIteration& iteration, const double* ahead, double alpha, double& first,
                         double& second) noexcept;
  /// Whether M a = push + Jᵀ λ but for rounding, which agreement of λ with f(j) does not tell where hard rows are held or a
  /// step was longer than Newton's: both may have been lost alike.
  bool moves_as_pushed() noexcept;
  /// Largest |λ − f(j)|, and whose.
  double residual(int& block) noexcept;
  /// Hard rows' multipliers take over what the proximal force holds; returns the largest miss beside what the row aims at.
  double pull_hard_rows(int& block) noexcept;
  /// push − M a.
  void missed_by_inertia(std::vector<double>& to) const noexcept;
  /// Hard rows' λ carries the rounding of j = J a − a* times D = 10⁶/w. A step of refinement by the last step's factors,
  /// against what the equations themselves miss, with f(j) = λ − D j (`pull` is λ):
  ///   (M + Jᵀ h J) δa = push + Jᵀ f(j) − M a,    λ ← f(j) − h J δa
  /// D j and D J δa cancel but for a millionth of the one rounding that is in both.
  void refine() noexcept;
  /// Refines until all hard rows are held, and once more, for the last digits of their forces, as long as what is soft stays
  /// settled, |λ − f(j)| ≤ left. False, and which block misses, where they are not held.
  bool settle_hard_rows(double left, ConstraintStatus& status) noexcept;
  /// Takes from the hard rows' λ what moves nothing, Jᵀ ν = 0: of redundant rows rounding times D. What is left is of the form
  /// D J y, of all forces with this Jᵀ λ the one of the least Σ λ²/D. By the last step's factors, P = D J (M + Jᵀ h J)⁻¹ Jᵀ
  /// keeps such a force but for its share of M beside Jᵀ D J, and ν is lost; so λ ← λ + P r, r ← r − P r, until no more is
  /// added; by the hard rows' own basis where that share is not small: J M⁻¹ Jᵀ of heavy links, or of rows whose R is large.
  void drop_idle_forces() noexcept;

  ConstraintOptions options;
  HardRowFactor hard_;
  bool exactly_ = false;              // by hard_
  std::vector<LawOutlook> outlooks_;  // by block: of the step from j to j_next
  std::vector<double> steps_;         // rows: j_next − j
  std::vector<double> rhs_, held_;    // nv; rows
  std::vector<char> was_active;       // by block, when it settled last
};

}  // namespace sparsedyn
