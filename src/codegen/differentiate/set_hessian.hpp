// Second derivatives of what a sensor set determines, contracted with multipliers λ of the outputs o(θ, x(θ)), A(θ) x = b(θ),
// θ = (q, v, y). With Aᵀ μ = (∂o/∂x)ᵀ λ and
//   ℓ(θ, x) = μᵀ (b(θ) − A(θ) x) + λᵀ o(θ, x),      μ held constant,
// the gradient of λᵀ o is ∂ℓ/∂θ; and, because ℓ is linear in x, its Hessian is with X = dx/dθ
//   H = ℓ_θθ + ℓ_θx X + Xᵀ ℓ_xθ.
// ∂ℓ/∂(θ, x) is recorded once, backwards; for each direction its derivative along (θ, X) is a column of H.
#pragma once

#include <functional>
#include <vector>

#include "codegen/programs/recorded_sensitivities.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// What a Hessian needs besides the solution. The rows that are solved are F A x + D ν = F b, and of an estimate Aᵀ F ν = P x.
struct HessianParts {
  const RobotParameters& parameters;  // of the system, that are inputs
  std::vector<Expr> factor;           // F, by rows; empty: ones
  std::vector<Expr> residuals;        // ν, by rows; empty where there are none
  /// From ∂(λᵀ o)/∂x the multipliers of all rows: those of A x = b, then those of Aᵀ F ν = P x.
  std::function<std::vector<Expr>(const std::vector<Expr>&)> multipliers;
};

/// Adds an input lambda (`lambda.COLUMN` of each output) and the outputs g, the gradient of λᵀ o by q (along the tangent), v
/// and the inputs read, as far as `by` has them, and H, the lower triangle of its Hessian by the same (`H.i.k`, i ≥ k), that of
/// (δ, v, y) ↦ λᵀ o(q ⊕ δ, v, y) at δ = 0, without entries that are zero by their symbols.
void record_hessian(Recorder& recorder, const System& system, const Outputs& outputs, const RecordedSolution& solution,
                    const HessianParts& parts, const DerivativesBy& by);

}  // namespace sparsedyn
