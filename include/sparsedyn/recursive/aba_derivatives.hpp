// Analytic first derivatives of forward dynamics. From M a + bias = τ at fixed τ:
//   ∂a/∂q = −M⁻¹ ∂ID/∂q,   ∂a/∂v = −M⁻¹ ∂ID/∂v,   ∂a/∂τ = M⁻¹,     ID's derivatives taken at a = FD(q, v, τ)
// (Carpentier & Mansard 2018, eq. 10). Two ways to M⁻¹: the factors of M that the moment pass gives anyway, or the
// articulated-body factors that forward dynamics leaves, without ever forming M.
#pragma once

#include "sparsedyn/recursive/accelerations_from_moments.hpp"
#include "sparsedyn/recursive/articulated_solve.hpp"
#include "sparsedyn/recursive/ltdl_blocks.hpp"
#include "sparsedyn/recursive/triple_index.hpp"

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
  explicit AbaDerivativeWorkspace(const Model& model)
      : dynamics(model),
        moments(model),
        id(model.nv, 2 * model.nv),
        fd(model.nv, 2 * model.nv),
        inverse(model.nv, model.nv),
        pattern(model.nv, 2 * model.nv,
                [&, index = TripleIndex(model)](int k, int c) { return index.on_one_branch(k, c % model.nv); }),
        tau(model.nv),
        column(model.nv),
        zero(model.nv, S(0.0)),
        M(model.nv * model.nv) {}
  Workspace<S> dynamics;
  MomentWorkspace<S> moments;
  PaddedRows<S> id, fd;   // [∂ID/∂q | ∂ID/∂v], and [∂a/∂q | ∂a/∂v]
  PaddedRows<S> inverse;  // M⁻¹
  ColumnGroups pattern;   // of id
  std::vector<S> tau, column, zero, M;
};

/// How M⁻¹ is found. `inertia`: by the sparse factors of M, O(n² depth), least for robots. `articulated`: O(n²), by sweeps over
/// the bodies.
enum class AbaDerivativeMethod { inertia, articulated };

namespace detail {

/// [∂ID/∂q | ∂ID/∂v], from where rnea_derivatives has put them: the results' own storage.
template <class S>
void fill(int n, const AbaDerivatives<S>& from, AbaDerivativeWorkspace<S>& ws) {
  for (int i = 0; i < n; ++i) {
    std::copy_n(from.da_dq + i * n, n, ws.id.row(i));
    std::copy_n(from.da_dv + i * n, n, ws.id.row(i) + n);
  }
}

template <class S>
void read(int n, const AbaDerivativeWorkspace<S>& ws, const AbaDerivatives<S>& out) {
  for (int i = 0; i < n; ++i) {
    std::copy_n(ws.fd.row(i), n, out.da_dq + i * n);
    std::copy_n(ws.fd.row(i) + n, n, out.da_dv + i * n);
    std::copy_n(ws.inverse.row(i), n, out.da_dtau + i * n);
  }
}

/// M⁻¹ by the articulated-body factors that aba left in ws.dynamics, column by column.
template <class S>
void articulated_inverse(const Model& model, AbaDerivativeWorkspace<S>& ws) {
  const int n = model.nv;
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < n; ++i) ws.column[i] = S(i == c ? 1.0 : 0.0);
    articulated_solve(model, ws.dynamics, ws.column.data());
    for (int i = 0; i < n; ++i) ws.inverse.row(i)[c] = ws.column[i];
  }
}

}  // namespace detail

/// a = FD(q, v, tau, fx) and its derivatives. q (nq), v, tau (nv); fx: the wrench of the world on each body in the body's
/// frame, where it stays constant, or null. If a joint cannot be solved for, its first entry of v is returned and no
/// result is to be used.
template <class S>
DynamicsStatus aba_derivatives(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                               const Force<S>* fx, const AbaDerivatives<S>& out,
                               AbaDerivativeMethod method = AbaDerivativeMethod::inertia) noexcept {
  const int n = model.nv;
  const RneaDerivatives<S> id{ws.tau.data(), out.da_dq, out.da_dv, out.da_dtau};
  DynamicsStatus status;
  if (method == AbaDerivativeMethod::inertia) {
    const int* parent = ws.dynamics.parent_freedom.data();
    status = accelerations_from_moments(model, ws.moments, parent, ws.zero.data(), q, v, tau, fx, ws.column.data(), ws.M.data(),
                                        out.a);
    if (!status.ok()) return status;
    derivatives_from_moments(model, ws.moments, id);
    ltdl_inverse_blocks(n, parent, ws.M.data(), ws.inverse);
  } else {
    status = aba(model, ws.dynamics, q, v, tau, fx, out.a);
    if (!status.ok()) return status;
    rnea_derivatives(model, ws.moments, q, v, out.a, fx, id);
    detail::articulated_inverse(model, ws);
  }
  detail::fill(n, out, ws);
  minus_product(n, ws.inverse, ws.id, ws.pattern, ws.fd);
  detail::read(n, ws, out);
  return status;
}

extern template DynamicsStatus aba_derivatives(const Model&, AbaDerivativeWorkspace<double>&, const double*, const double*,
                                               const double*, const Force<double>*, const AbaDerivatives<double>&,
                                               AbaDerivativeMethod) noexcept;

}  // namespace sparsedyn
