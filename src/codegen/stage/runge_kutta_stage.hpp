// A step of Runge and Kutta's classical method on the joints' groups, with its first derivatives.
#pragma once

#include "stage_ports.hpp"

namespace sparsedyn {

/// As simulate_forward's runge_kutta, u held constant (Munthe-Kaas 1999): positions as q ⊕ θ, θ from zero on.
struct RungeKuttaStage {
  /// `derivatives`: whether J is wanted.
  RungeKuttaStage(const Model& model, const MinimalFormulation& f, const StageInputs& in, bool derivatives);
  ExprVector next;  // x⁺, nq + nv
  ExprMatrix J;     // ∂x⁺/∂z, 2nv rows
};

/// λᵀ ∂x⁺/∂z by a reverse sweep over the four forward dynamics, without J.
ExprVector runge_kutta_gradient(const Model& model, const MinimalFormulation& f, const StageInputs& in);

}  // namespace sparsedyn
