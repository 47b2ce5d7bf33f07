// Analytic first derivatives of inverse dynamics (RNEA) and, from these, of forward dynamics (ABA): for every joint, with
// external wrenches.
//
// Inverse dynamics, by moment matrices.
// Turning or shifting everything below joint i along one of its freedoms adds a wrench below the joint; carried towards the
// base as forces are, it gives the column ∂τ_j/∂q_i, ∂τ_j/∂v_i of every ancestor j. Going up with it, the freedom's own
// column of M and its rate give the row ∂τ_i/∂q_j, ∂τ_i/∂v_j. Derivation: docs/derivatives.md.
#pragma once

#include <algorithm>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/accelerations_from_moments.hpp"
#include "sparsedyn/dynamics/detail/ancestor_entries.hpp"
#include "sparsedyn/dynamics/detail/articulated_solve.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/detail/force_column_travel.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/detail/ltdl_blocks.hpp"

namespace sparsedyn {

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Where a freedom's force column starts: fills ws.force_columns, and the entries of the freedoms of each joint with one
/// another.
template <class S>
void start_force_columns(const Model& model, MomentWorkspace<S>& ws, int stride, const RneaDerivatives<S>& out) {
  for (const std::array<int, 4>& four : ws.plan.revolute) start_revolute(model, ws, four, stride, out);
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    const BodyMoments<S>& x = ws.bodies[i];
    joint_force(body, Force<S>{x.N(), x.F()}, out.tau);
    if (body.joint == BodyJoint::revolute) continue;
    if (is_free_base(body)) {
      start_free_base(body, x, ws.mass[i], stride, out);
      continue;
    }
    if (!has_fixed_axis(body.joint)) find_screws(body, x, ws.screws.data() + body.v);
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const ForceColumn<S> y = force_column_of(body, ws, i, c);
      keep(y, ws.force_columns[body.v + c]);
      meet(Row<S>{out, stride, body.v + c}, body, x, ws.screws.data(), vectors_of(y), false);
    }
  }
}

/// Entries that a force column gives at its ancestors' joints.
template <class S>
struct DerivativeEntries {
  const Model& model;
  const MomentWorkspace<S>& ws;
  int stride;
  const RneaDerivatives<S>& out;
  Row<S> row(int i) const { return {out, stride, i}; }
  FourRows<S> rows(const std::array<int, 4>& i) const { return {out, stride, i}; }
  [[gnu::always_inline]] ForceColumnVectors<S> alone(const ForceColumn<S>& y) const { return vectors_of(y); }
  [[gnu::always_inline]] ForceColumnVectors<simd<S, 4>> four(const ForceColumn<S>* y) const { return for_each_lane(y); }
  template <class R, class T>
  [[gnu::always_inline]] void meet(const R& entries, int j, const ForceColumnVectors<T>& y) const {
    detail::meet(entries, model.bodies[j], ws.bodies[j], ws.screws.data(), y, true);
  }
};

/// τ, and the entries on the branches of ∂τ/∂q, ∂τ/∂v and M, which here may be null; rows `stride` numbers apart.
template <class S>
void send_force_columns(const Model& model, MomentWorkspace<S>& ws, int stride, const RneaDerivatives<S>& out) noexcept {
  start_force_columns(model, ws, stride, out);
  send_columns(model, ws, DerivativeEntries<S>{model, ws, stride, out});
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// All results from what moment_passes has left in ws, without what the joints add.
template <class S>
void derivatives_from_moments(const Model& model, MomentWorkspace<S>& ws, const RneaDerivatives<S>& out) noexcept {
  for (S* matrix : {out.dtau_dq, out.dtau_dv, out.M}) std::fill(matrix, matrix + model.nv * model.nv, S(0.0));
  detail::send_force_columns(model, ws, model.nv, out);
}

}  // namespace SPARSEDYN_CODE

/// τ, ∂τ/∂q, ∂τ/∂v and M at (q, v, a), with the wrenches fx (one a body, in the body's frame, where they stay constant; null:
/// none). q (nq), v (nv), a (nv). SI units. Cost: about 500 flops a body and 200 for each pair of joints on a branch; no heap.
template <class S>
void rnea_derivatives(const Model& model, MomentWorkspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx,
                      const RneaDerivatives<S>& out) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // Gᵀ ∂τ_t G
    TreeNumbers<S>& t = ws.tree;
    S *const dq = t.matrix[0].data(), *const dv = t.matrix[1].data(), *const M = t.matrix[2].data();
    rnea_derivatives(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
                     tree_rates(*map, a, t.a.data()), fx, RneaDerivatives<S>{t.tau.data(), dq, dv, M});
    gather_rows(*map, 1, t.tau.data(), out.tau);
    gather_matrix(*map, dq, out.dtau_dq);
    gather_matrix(*map, dv, out.dtau_dv);
    return gather_matrix(*map, M, out.M);
  }
  moment_passes(model, ws, q, v, a, fx);
  derivatives_from_moments(model, ws, out);
  const int n = model.nv;
  add_joint_torques(model, q, v, a, out.tau);
  add_stiffness<S>(model, [&](int k) -> S& { return out.dtau_dq[k * n + k]; });
  add_load_slopes(model, v, [&](int k) -> S& { return out.dtau_dv[k * n + k]; });
  add_armature<S>(model, [&](int k) -> S& { return out.M[k * n + k]; });
}

extern template void rnea_derivatives(const Model&, MomentWorkspace<double>&, const double*, const double*, const double*,
                                      const Force<double>*, const RneaDerivatives<double>&) noexcept;

// Forward dynamics. From M a + bias = τ at fixed τ:
//   ∂a/∂q = −M⁻¹ ∂ID/∂q,   ∂a/∂v = −M⁻¹ ∂ID/∂v,   ∂a/∂τ = M⁻¹,     ID's derivatives taken at a = FD(q, v, τ)
// (Carpentier & Mansard 2018, eq. 10). Two ways to M⁻¹: the factors of M that the moment pass gives anyway, or the
// articulated-body factors that forward dynamics leaves, without ever forming M.

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
/// form M, O(n²), and one product with M⁻¹; with coupled joints it is the same as `inertia`.
enum class AbaDerivativeMethod { inertia, articulated };

namespace detail {
inline namespace SPARSEDYN_CODE {

/// ID's derivatives at the accelerations of ws.moments, into ws.id.
template <class S>
void fill_inverse_dynamics(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* v) noexcept {
  S* const none = nullptr;
  send_force_columns(model, ws.moments, ws.id.stride(), {ws.tau.data(), ws.id.row(0), ws.id.row(0) + model.nv, none});
  add_stiffness<S>(model, [&](int k) -> S& { return ws.id.row(k)[k]; });
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

/// Of coupled joints: M and the derivatives of inverse dynamics are sums over the tree's; the factors of M solve for the rest.
template <class S>
DynamicsStatus of_coupled(const Model& model, AbaDerivativeWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                          const Force<S>* fx, const AbaDerivatives<S>& out) noexcept {
  const int n = model.nv;
  DynamicsStatus status = aba(model, ws.dynamics, q, v, tau, fx, out.a);
  if (!status.ok()) return status;
  rnea_derivatives(model, ws.moments, q, v, static_cast<const S*>(out.a), fx,
                   RneaDerivatives<S>{ws.tau.data(), out.da_dq, out.da_dv, out.da_dtau});
  ws.factors.take(out.da_dtau);
  status.singular = ws.factors.factor();
  for (int k = 0; k < n; ++k) {
    std::copy_n(out.da_dq + k * n, n, ws.id.row(k));
    std::copy_n(out.da_dv + k * n, n, ws.id.row(k) + n);
  }
  minus_solve(ws.factors, ws.steps, ws.id, ws.fd);
  ws.factors.inverse(ws.inverse);
  ws.inverse.copy_columns(n, 0, n, out.da_dtau);
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
  const DynamicsStatus status = model.coordinate_map ? detail::of_coupled(model, ws, q, v, tau, fx, out)
                                : method == AbaDerivativeMethod::inertia
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
