// Analytic first derivatives of forward dynamics. From M a + bias = τ at fixed τ:
//   ∂a/∂q = −M⁻¹ ∂ID/∂q,   ∂a/∂v = −M⁻¹ ∂ID/∂v,   ∂a/∂τ = M⁻¹,     ID's derivatives taken at a = FD(q, v, τ)
// (Carpentier & Mansard 2018, eq. 10). Two ways to apply M⁻¹: the factors of M that the moment pass gives anyway, or the
// articulated-body factors that forward dynamics leaves, without ever forming M.
#pragma once

#include "sparsedyn/recursive/articulated_solve.hpp"
#include "sparsedyn/recursive/ltdl_blocks.hpp"
#include "sparsedyn/recursive/rnea_derivatives.hpp"

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
      : dynamics(model), moments(model), rhs(model.nv, 3 * model.nv), tau(model.nv), column(model.nv), M(model.nv * model.nv) {}
  Workspace<S> dynamics;
  MomentWorkspace<S> moments;
  RightHandSides<S> rhs;
  std::vector<S> tau, column, M;
};

/// Which factors apply M⁻¹. `inertia`: LTDL of M, O(n² depth), least for robots. `articulated`: O(n²) sweeps over the bodies,
/// least for chains of many tens of joints.
enum class AbaDerivativeMethod { inertia, articulated };

namespace detail {

/// What solve_for_all solves: the columns −∂ID/∂q, −∂ID/∂v and 1 side by side.
template <class S>
void fill_right_hand_sides(int n, const AbaDerivatives<S>& from, RightHandSides<S>& rhs) {
  for (int i = 0; i < n; ++i) {
    S* row = rhs.row(i);
    for (int c = 0; c < n; ++c) row[c] = -from.da_dq[i * n + c];
    for (int c = 0; c < n; ++c) row[n + c] = -from.da_dv[i * n + c];
    for (int c = 0; c < n; ++c) row[2 * n + c] = S(c == i ? 1.0 : 0.0);
  }
}

template <class S>
void read_solutions(int n, RightHandSides<S>& rhs, const AbaDerivatives<S>& out) {
  for (int i = 0; i < n; ++i) {
    const S* row = rhs.row(i);
    std::copy_n(row, n, out.da_dq + i * n);
    std::copy_n(row + n, n, out.da_dv + i * n);
    std::copy_n(row + 2 * n, n, out.da_dtau + i * n);
  }
}

/// The same by the articulated-body factors that aba left in ws.dynamics, column by column.
template <class S>
void articulated_solve_columns(const Model& model, AbaDerivativeWorkspace<S>& ws) {
  const int n = model.nv;
  for (int c = 0; c < 3 * n; ++c) {
    for (int i = 0; i < n; ++i) ws.column[i] = ws.rhs.row(i)[c];
    articulated_solve(model, ws.dynamics, ws.column.data());
    for (int i = 0; i < n; ++i) ws.rhs.row(i)[c] = ws.column[i];
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
  const DynamicsStatus status = aba(model, ws.dynamics, q, v, tau, fx, out.a);
  if (!status.ok()) return status;
  rnea_derivatives(model, ws.moments, q, v, out.a, fx, {ws.tau.data(), out.da_dq, out.da_dv, ws.M.data()});
  detail::fill_right_hand_sides(n, out, ws.rhs);
  if (method == AbaDerivativeMethod::inertia) {
    const int* parent = ws.dynamics.parent_freedom.data();
    ltdl_factor(n, parent, ws.M.data());
    ltdl_solve_blocks(n, parent, ws.M.data(), ws.rhs);
  } else {
    detail::articulated_solve_columns(model, ws);
  }
  detail::read_solutions(n, ws.rhs, out);
  return status;
}

extern template DynamicsStatus aba_derivatives(const Model&, AbaDerivativeWorkspace<double>&, const double*, const double*,
                                               const double*, const Force<double>*, const AbaDerivatives<double>&,
                                               AbaDerivativeMethod) noexcept;

}  // namespace sparsedyn
