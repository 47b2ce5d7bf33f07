// A step of Runge and Kutta's classical method on the joints' groups, with its first derivatives.
#pragma once

#include <memory>

#include "stage_ports.hpp"

namespace sparsedyn {

/// As simulate_forward's runge_kutta, u held constant (Munthe-Kaas 1999): positions as q ⊕ θ, θ from zero on.
struct RungeKuttaStage {
  /// Where forward dynamics are taken, of four times in all.
  struct Evaluation {
    std::shared_ptr<const RecordedForward> forward;
    ExprMatrix q, v, a;  // ∂/∂z of its state, along the tangent, and of its acceleration; nv rows each
  };
  static constexpr double reach[] = {0, 0.5, 0.5, 1};                   // of an evaluation, from the start, by dt
  static constexpr double weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};  // in the step

  /// `derivatives`: whether J and the evaluations are wanted. model and f must outlive them.
  RungeKuttaStage(const Model& model, const MinimalFormulation& f, const StageInputs& in, bool derivatives);
  ExprVector next;  // x⁺, nq + nv
  ExprMatrix J;     // ∂x⁺/∂z, 2nv rows
  std::vector<Evaluation> evaluations;
};

/// λᵀ ∂x⁺/∂z by a reverse sweep over the four forward dynamics, without J.
ExprVector runge_kutta_gradient(const Model& model, const MinimalFormulation& f, const StageInputs& in);

/// λᵀ ∂²x⁺/∂z², the lower triangle, of robots whose coordinates are additive: four contractions of forward dynamics.
ExprMatrix runge_kutta_hessian(const StageInputs& in, const RungeKuttaStage& stage);

}  // namespace sparsedyn
