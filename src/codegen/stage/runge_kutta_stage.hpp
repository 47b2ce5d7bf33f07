// A step of Runge and Kutta's classical method on the joints' groups, with its first derivatives.
#pragma once

#include <memory>

#include "joint_move.hpp"
#include "stage_ports.hpp"

namespace sparsedyn {

/// As simulate_forward's runge_kutta, u held constant (Munthe-Kaas 1999): positions as q ⊕ θ, θ from zero on.
struct RungeKuttaStage {
  /// q ⊕ θ, by body.
  struct Move {
    std::vector<JointMove> joints;
    ExprMatrix theta;  // ∂θ/∂z
  };
  /// Where forward dynamics are taken, of four times in all.
  struct Evaluation {
    std::shared_ptr<const RecordedForward> forward;
    ExprMatrix q, v, a;  // ∂/∂z of its state, along the tangent, and of its acceleration; nv rows each
    // Of the first one, whose θ is zero at every state, there are no jets.
    Move move;                                 // to its position
    std::vector<std::vector<LocalJet>> rates;  // θ', by body
    ExprMatrix rate;                           // ∂θ'/∂z
  };
  /// What is wanted beside x⁺: J and the evaluations; in these second derivatives of the joints' own moves.
  enum class Order { value, first, second };
  static constexpr double reach[] = {0, 0.5, 0.5, 1};                   // of an evaluation, from the start, by dt
  static constexpr double weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};  // in the step

  /// model and f must outlive the evaluations.
  RungeKuttaStage(const Model& model, const MinimalFormulation& f, const StageInputs& in, Order order);
  ExprVector next;  // x⁺, nq + nv
  ExprMatrix J;     // ∂x⁺/∂z, 2nv rows
  std::vector<Evaluation> evaluations;
  Move last;  // to the position behind the step
};

/// λᵀ ∂x⁺/∂z by a reverse sweep over the four forward dynamics, without J.
ExprVector runge_kutta_gradient(const Model& model, const MinimalFormulation& f, const StageInputs& in);

/// λᵀ ∂²x⁺/∂z², the lower triangle: four contractions of forward dynamics, and Hessians of the joints' own moves. The stage: of
/// second order.
ExprMatrix runge_kutta_hessian(const Model& model, const StageInputs& in, const RungeKuttaStage& stage);

}  // namespace sparsedyn
