// λᵀ ∂²q̈ without a tensor. With μ = −M⁻¹ λ, the equations of aba_second_derivatives.hpp multiplied by λᵀ are
//   λᵀ ∂²q̈/∂q_b∂q_c = μᵀ ∂²ID/∂q_b∂q_c + (∂(M μ)/∂q_b)ᵀ ∂a/∂q_c + (∂(M μ)/∂q_c)ᵀ ∂a/∂q_b,     the others likewise:
// one contraction of inverse dynamics and three products of n × n matrices.
#pragma once

#include "sparsedyn/dynamics/aba_derivatives.hpp"
#include "sparsedyn/dynamics/rnea_contraction.hpp"

namespace sparsedyn {

/// Row-major nv × nv, written: X[b,c] = Σ_a λ_a [a,b,c] of AbaSecondDerivatives.
template <class S>
struct AbaContraction {
  S *qq, *qv, *vv, *qtau;  // ∂²/∂q∂q, ∂q∂v, ∂v∂v, ∂q∂τ
};

/// Allocated once for a model; one a thread.
template <class S>
struct AbaContractionWorkspace {
  /// Takes all memory. The model is not kept.
  explicit AbaContractionWorkspace(const Model& model)
      : first(model),
        id(model),
        by_q(model.nv, model.nv),
        changes(model.nv, 3 * model.nv),
        products(model.nv, 3 * model.nv),
        every(model.nv, 3 * model.nv, [](int, int) { return true; }),
        mu(model.nv) {}
  AbaDerivativeWorkspace<S> first;  // of q̈ and its first derivatives
  ContractionWorkspace<S> id;       // of inverse dynamics times μ
  PaddedRows<S> by_q;               // −(∂(M μ)/∂q)ᵀ
  PaddedRows<S> changes, products;  // [∂a/∂q | ∂a/∂v | M⁻¹], and (∂(M μ)/∂q)ᵀ times them
  ColumnGroups every;               // all entries, for the product
  std::vector<S> mu;                // μ, nv
};

/// q̈ and its first derivatives (`first`) at (q, v, tau) with wrenches fx, and λᵀ times the second ones. lambda: nv. If a joint
/// cannot be solved for, its first entry of v is returned and no result is to be used. No heap.
template <class S>
DynamicsStatus aba_contraction(const Model& model, AbaContractionWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                               const Force<S>* fx, const S* lambda, const AbaDerivatives<S>& first,
                               const AbaContraction<S>& out) noexcept {
  const int n = model.nv;
  const DynamicsStatus status = aba_derivatives(model, ws.first, q, v, tau, fx, first);
  if (!status.ok()) return status;
  for (int k = 0; k < n; ++k) {
    ws.mu[k] = S(0.0);
    for (int a = 0; a < n; ++a) ws.mu[k] = ws.mu[k] - first.da_dtau[k * n + a] * lambda[a];
  }
  S* mass = out.qtau;  // ∂(M μ)/∂q, until it is copied
  rnea_contraction(model, ws.id, q, v, first.a, fx, ws.mu.data(), Contraction<S>{out.qq, out.qv, out.vv, mass});
  for (int e = 0; e < n; ++e) {
    for (int b = 0; b < n; ++b) ws.by_q.row(b)[e] = -mass[e * n + b];
    std::copy_n(first.da_dq + e * n, n, ws.changes.row(e));
    std::copy_n(first.da_dv + e * n, n, ws.changes.row(e) + n);
    std::copy_n(first.da_dtau + e * n, n, ws.changes.row(e) + 2 * n);
  }
  minus_product(n, ws.by_q, ws.changes, ws.every, ws.products);
  for (int b = 0; b < n; ++b)
    for (int c = 0; c < n; ++c) {
      const int at = b * n + c;
      out.qq[at] = out.qq[at] + ws.products.row(b)[c] + ws.products.row(c)[b];
      out.qv[at] = out.qv[at] + ws.products.row(b)[n + c];
      out.qtau[at] = ws.products.row(b)[2 * n + c];
    }
  return status;
}

extern template DynamicsStatus aba_contraction(const Model&, AbaContractionWorkspace<double>&, const double*, const double*,
                                               const double*, const Force<double>*, const double*,
                                               const AbaDerivatives<double>&, const AbaContraction<double>&) noexcept;

}  // namespace sparsedyn
