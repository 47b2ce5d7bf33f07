// Analytic first derivatives of forward dynamics. From M a + bias = τ at fixed τ:
//   ∂a/∂q = −M⁻¹ ∂ID/∂q,   ∂a/∂v = −M⁻¹ ∂ID/∂v,   ∂a/∂τ = M⁻¹,     ID's derivatives taken at a = FD(q, v, τ)
// (Carpentier & Mansard 2018, eq. 10). Two ways to M⁻¹: the factors of M that the moment pass gives anyway, or the
// articulated-body factors that forward dynamics leaves, without ever forming M.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/detail/accelerations_from_moments.hpp"
#include "sparsedyn/dynamics/detail/articulated_solve.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/detail/ltdl_blocks.hpp"

namespace sparsedyn {

/// Results, row-major, in the order of v; columns with respect to q on the tangent space, perturbed on the right.
template <class S>
struct AbaDerivatives {
  S* a;        // nv: forward dynamics itself
  S* da_dq;    // nv × nv
  S* da_dv;    // nv × nv
  S* da_dtau;  // nv × nv: M⁻¹
};

/// Allocated once for a model; one a thread.
template <class S>
struct AbaDerivativeWorkspace {
  /// Takes all memory. The model is not kept.
  explicit AbaDerivativeWorkspace(const Model& model)
      : moments(model),
        dynamics(model),
        torques(model),
        factors(parent_freedoms(model)),
        id(model.nv, 2 * model.nv),
        fd(model.nv, 2 * model.nv),
        inverse(model.nv, model.nv),
        steps(factors.rows(), 2 * model.nv, fd.blocks(), fd.stride()),
        pattern(model.nv, 2 * model.nv,
                [&, rows = BranchRows(parent_freedoms(model))](int k, int c) {
                  return rows.carries(c % model.nv, k) || rows.carries(k, c % model.nv);
                }),
        tau(model.nv),
        zero(model.nv, S(0.0)) {}
  MomentWorkspace<S> moments;  // of inverse dynamics
  Workspace<S> dynamics;       // of forward dynamics
  UnitTorques<S> torques;      // by `articulated`: the columns of M⁻¹
  PackedLtdl<S> factors;       // of M
  PaddedRows<S> id, fd;        // [∂ID/∂q | ∂ID/∂v], zeros between branches never touched, and [∂a/∂q | ∂a/∂v]
  PaddedRows<S> inverse;       // M⁻¹
  SolveSteps steps;            // from id to fd, by the factors
  ColumnGroups pattern;        // of id, for the product with M⁻¹
  std::vector<S> tau, zero;    // nv each
};

/// `inertia`: by the sparse factors of M, O(n² depth), least for robots. `articulated`: aba and direct_minverse, which never
/// form M, O(n²), and one product with M⁻¹.
enum class AbaDerivativeMethod { inertia, articulated };

namespace detail {
inline namespace SPARSEDYN_CODE {

/// ID's derivatives at the accelerations of ws.moments, into ws.id.
template <class S>
void fill_inverse_dynamics(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* v) noexcept {
  S* const none = nullptr;
  send_force_columns(model, ws.moments, ws.id.stride(), {ws.tau.data(), ws.id.row(0), ws.id.row(0) + model.nv, none});
  add_load_slopes(model, v, [&](int k) -> S& { return ws.id.row(k)[model.nv + k]; });
}

template <class S>
DynamicsStatus by_inertia(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                          const Force<S>* fx, const AbaDerivatives<S>& out) noexcept {
  const DynamicsStatus status = accelerations_from_moments(model, ws.moments, ws.zero.data(), q, v, tau, fx, ws.factors, out.a);
  if (!status.ok()) return status;
  fill_inverse_dynamics(model, ws, v);
  minus_solve(ws.factors, ws.steps, ws.id, ws.fd);
  ws.factors.inverse(ws.inverse);
  ws.inverse.copy_columns(model.nv, 0, model.nv, out.da_dtau);
  return status;
}

template <class S>
DynamicsStatus by_articulated_bodies(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                                     const Force<S>* fx, const AbaDerivatives<S>& out) noexcept {
  const DynamicsStatus status = aba(model, ws.dynamics, q, v, tau, fx, out.a);
  if (!status.ok()) return status;
  minverse_from_articulated(model, ws.dynamics, ws.torques, out.da_dtau);
  moment_passes(model, ws.moments, q, v, static_cast<const S*>(out.a), fx);
  fill_inverse_dynamics(model, ws, v);
  for (int i = 0; i < model.nv; ++i) std::copy_n(out.da_dtau + i * model.nv, model.nv, ws.inverse.row(i));
  minus_product(model.nv, ws.inverse, ws.id, ws.pattern, ws.fd);
  return status;
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// a = FD(q, v, tau, fx) and its derivatives. q (nq), v, tau (nv); fx: the wrench of the world on each body in the body's
/// frame, where it stays constant, or null. SI units, angular first. If a joint cannot be solved for, its first entry of v is
/// returned and no result is to be used. Cost: rnea_derivatives, and O(n² depth) by `inertia`, O(n³) by `articulated`; no heap.
template <class S>
DynamicsStatus aba_derivatives(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                               const Force<S>* fx, const AbaDerivatives<S>& out,
                               AbaDerivativeMethod method = AbaDerivativeMethod::inertia) noexcept {
  const DynamicsStatus status = method == AbaDerivativeMethod::inertia
                                    ? detail::by_inertia(model, ws, q, v, tau, fx, out)
                                    : detail::by_articulated_bodies(model, ws, q, v, tau, fx, out);
  if (!status.ok()) return status;
  const int n = model.nv;
  ws.fd.copy_columns(n, 0, n, out.da_dq);
  ws.fd.copy_columns(n, n, n, out.da_dv);
  return status;
}

extern template DynamicsStatus aba_derivatives(const Model&, AbaDerivativeWorkspace<double>&, const double*, const double*,
                                               const double*, const Force<double>*, const AbaDerivatives<double>&,
                                               AbaDerivativeMethod) noexcept;

}  // namespace sparsedyn
