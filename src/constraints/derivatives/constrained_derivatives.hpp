// First derivatives of forward dynamics under constraints, from the equations at the answer (implicit function theorem):
//   M da + ∂ID/∂θ − ∂(Jᵀλ)/∂θ − Jᵀ dλ = dτ,     dλ = −h (J da + ∂j/∂θ) + λ ∘ ∂ln D/∂θ,
// so that (M + JᵀhJ) da = …, the matrix of a Newton step. Hard rows have J da + ∂j/∂θ = 0 and multipliers of their own: the
// same factors, proximal steps as in the forward problem.
#pragma once

#include <array>

#include "constraints/hard_row_factor.hpp"
#include "constraints/inertia_factor.hpp"
#include "robot_row_derivatives.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class ConstrainedDerivatives {
 public:
  /// on_tree: as RobotRowDerivatives takes them.
  ConstrainedDerivatives(const Model& model, const ConstraintRows& rows, std::vector<RowBlock> on_tree);

  /// An answer: accelerations, forces of the rows, the factors of M + JᵀhJ and h by block, as the Newton step has them there.
  struct Answer {
    const double *q, *v, *a;
    const Force<double>* fx;
    const double *f, *factors, *slopes;
  };
  /// All matrices of `out`, those of λ where they are wanted. After rows.at(ws, q, v). -1, or the block whose hard rows do not
  /// settle. `hard`: the factor of M + JᵀhJ and the hard rows that takes the place of `factor`, or nullptr.
  int solve(Workspace<double>& ws, const InertiaFactor& factor, HardRowFactor* hard, const Answer& at,
            const ConstraintDerivatives& out) noexcept;

  /// From now on solve() leaves behind ∂f/∂(q, v, τ) of the rows themselves, rows × 3 nv; takes memory.
  void keep_by_row() { by_row_.resize(static_cast<std::size_t>(rows_.rows()) * 3 * static_cast<std::size_t>(model_.nv)); }
  const double* by_row() const noexcept { return by_row_.data(); }
  const double* by_tau(int row) const noexcept {
    const auto n = static_cast<std::size_t>(model_.nv);
    return by_row_.data() + static_cast<std::size_t>(row) * 3 * n + 2 * n;
  }
  /// After solve(): M, nv × nv.
  const double* inertia() const noexcept { return inertia_.data(); }
  /// After solve(): row r's ∂ ln D/∂q.
  const double* stiffness_by_q(int r) const noexcept { return moved_.stiffness_by_q(r); }

 private:
  static constexpr int W = 8;  // columns at a time

  void start(int first) noexcept;
  void change_forces(const Answer& at, int first) noexcept;
  bool improve(const InertiaFactor& factor, HardRowFactor* hard, const Answer& at, int first) noexcept;
  bool small_step(int first) noexcept;
  bool is_rounding(const RowBlock& b, const RowBlockState& s, int lane, double most_pulls) const noexcept;
  int loose_block(int first) noexcept;
  int refine_exactly(const InertiaFactor& factor, HardRowFactor& hard, const Answer& at, int first) noexcept;
  /// 0, 1, 2: by q, v, τ.
  std::size_t kind_of(int first, std::size_t lane) const noexcept {
    return (static_cast<std::size_t>(first) + lane) / static_cast<std::size_t>(model_.nv);
  }
  int settle_hard_rows(const InertiaFactor& factor, const Answer& at, int first) noexcept;
  void solve_exactly(HardRowFactor& hard) noexcept;
  void add_turned_forces(Workspace<double>& ws, HardRowFactor& hard, const Answer& at, double* by_q) noexcept;
  void write(int first, int lane, const ConstraintDerivatives& out) noexcept;

  const Model& model_;
  const ConstraintRows& rows_;
  RobotRowDerivatives moved_;
  MomentWorkspace<double> moments_;
  bool hard_ = false;
  std::array<double, 3> largest_{}, most_pulls_{};    // of the columns so far by q, v, τ
  double heaviest_ = 0;                               // of M's diagonal
  double left_ = 0, before_ = 0;                      // of the last steps, beside what counts as small
  int worst_ = -1;                                    // of the last step
  std::vector<double> tau_, by_q_, by_v_, inertia_;   // of inverse dynamics
  std::vector<double> side_, x_, step_;               // nv × W
  std::vector<double> force_, drift_, miss_, pulls_;  // rows × W
  std::vector<double> of_rows_, aim_;                 // rows, of one column
  std::vector<double> rhs_, column_;                  // nv, likewise
  std::vector<double> still_, no_force_;              // nv, rows; zero
  std::vector<double> written_, gaps_;
  std::vector<double> by_row_;  // of the forces; empty where nobody asks
};

}  // namespace sparsedyn
