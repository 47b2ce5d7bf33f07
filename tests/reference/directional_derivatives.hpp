// Directional second derivatives: the first derivatives of the dynamics, differentiated once more along one direction by dual
// numbers through the same templates. Exact; no tensor, no step.
#pragma once

#include <memory>

#include "sparsedyn/dynamics/derivatives.hpp"

namespace sparsedyn {

/// Where the state moves: nv numbers each, q on the tangent space (q ⊕ ε q̇), or null where that part stays. x: accelerations
/// for inverse dynamics, torques for forward dynamics.
struct Direction {
  const double *q, *v, *x;
};

class DirectionalDerivatives {
 public:
  /// Allocates for one model, which must outlive it.
  explicit DirectionalDerivatives(const Model& model);
  ~DirectionalDerivatives();

  /// d/dε of what rnea_derivatives gives: dtau_dq[a,b] = Σ_c ∂²τ_a/∂q_b∂c δ_c, and so on; tau: the change of τ itself.
  /// Arguments as there. 2 to 3 times the cost of first derivatives (a product of dual numbers is three products, a sum two
  /// sums); no heap.
  void inverse(const double* q, const double* v, const double* a, const Force<double>* fx, const Direction& direction,
               const RneaDerivatives<double>& out) noexcept;
  /// d/dε of what aba_derivatives gives. Arguments and status as there.
  DynamicsStatus forward(const double* q, const double* v, const double* tau, const Force<double>* fx,
                         const Direction& direction, const AbaDerivatives<double>& out) noexcept;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sparsedyn
