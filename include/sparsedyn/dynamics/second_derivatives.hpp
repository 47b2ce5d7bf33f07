// Analytic second derivatives of inverse dynamics (RNEA) and, from these, of forward dynamics (ABA): for every joint, with
// external wrenches; as tensors, or times multipliers as matrices.
//
// Inverse dynamics, by moment matrices.
// With e_x = z_x × ρ + l_x the displacement by freedom x and A = r'' − g, every second derivative is a sum over the mass below
// the deepest of three freedoms i, j, k (each above or in the joint of the next) of products of e_i, e_j, e_k and their rates.
// What depends on k travels up as a SecondOrderColumn, four neighbouring k side by side; at j it makes the PairMoments of (j,
// k), which meet the screws of every i above, as the body of j sees them. Derivation, and the order of differentiation within a
// joint: docs/second-derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/detail/second_order/multiplier_column.hpp"
#include "sparsedyn/dynamics/detail/second_order/tensor_values.hpp"

namespace sparsedyn {

/// All second derivatives of τ at (q, v, a) with wrenches fx (as in rnea_derivatives), into `out`, built for the same model.
/// About 500 operations for each pair of freedoms on a branch and 100 for each triple, four side by side; no heap.
template <class S>
void rnea_second_derivatives(const Model& model, SecondWorkspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx,
                             SecondDerivatives<S>& out) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // out sums over what each coordinate moves
    TreeNumbers<S>& t = ws.moments.tree;
    return rnea_second_derivatives(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
                                   tree_rates(*map, a, t.a.data()), fx, out);
  }
  const TensorIndex& index = out.index();
  moment_passes(model, ws.moments, q, v, a, fx);
  find_frames(model, index, ws);
  for (int b : index.tips_first()) {
    const Body& body = model.bodies[b];
    const int j = body.v, of_joint = freedoms(body.joint), first = index.first(j);
    for (int c = 0; c < of_joint; ++c)
      ws.force_columns.put(
          second_order_column(body, c, ws.moments.bodies[b], ws.frames[b], ws.screws[j + c], ws.moments.mass[b]),
          index.place(j + c));
    const bool carried = body.parent >= 0, means = carried && !ws.all_fixed[body.parent];
    for (int at = 0; at < index.below(j); at += TensorIndex::block) {
      SecondOrderColumn<simd<S, 4>> x;
      ws.force_columns.get(first + at, !ws.all_fixed[b], x);
      for (int c = 0; c < of_joint; ++c)
        meet_all(model, index, ws, b, c, x, out.row(index.on_path(j, 0), j + c) + at * tensor_values);
      if (!carried) continue;
      leave(ws.moments.bodies[b].pose, ws.frames[b].w, means, x);
      ws.force_columns.put(x, means, first + at);
    }
  }
  add_load_curvatures(model, v, [&](int k, const S& x) { out.set_vv(k, x); });
}

extern template void rnea_second_derivatives(const Model&, SecondWorkspace<double>&, const double*, const double*,
                                             const double*, const Force<double>*, SecondDerivatives<double>&) noexcept;

// λᵀ ∂²τ without the tensor: n × n matrices for given multipliers, which is all that the Hessian of a Lagrangian needs. λᵀτ =
// Σ m y·(r'' − g) with y the velocity at the rates λ. Its Hessian comes about as the first derivatives do: a change of freedom
// c changes wrenches, and momenta of the multiplier motion, below it, and these meet every joint above. Derivation:
// docs/second-derivatives.md, "Contracted with multipliers".

/// All four at (q, v, a) with wrenches fx (as in rnea_derivatives). lambda: nv. About 700 flops a body and 350 for each pair of
/// joints on a branch; no heap.
template <class S>
void rnea_contraction(const Model& model, ContractionWorkspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx,
                      const S* lambda, const Contraction<S>& out) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // (Gλ)ᵀ ∂²τ_t, by G on both sides
    TreeNumbers<S>& t = ws.moments.tree;
    S* const tree[4] = {t.matrix[0].data(), t.matrix[1].data(), t.matrix[2].data(), t.matrix[3].data()};
    rnea_contraction(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
                     tree_rates(*map, a, t.a.data()), fx, tree_rates(*map, lambda, t.tau.data()),
                     Contraction<S>{tree[0], tree[1], tree[2], tree[3]});
    S* const own[4] = {out.qq, out.qv, out.vv, out.Mq};
    for (int k = 0; k < 4; ++k) gather_matrix(*map, tree[k], own[k]);
    return;
  }
  moment_passes(model, ws.moments, q, v, a, fx);
  test_passes(model, ws.moments, lambda, ws.test.data());
  for (S* matrix : {out.qq, out.qv, out.vv, out.Mq}) std::fill(matrix, matrix + model.nv * model.nv, S(0.0));
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    if (!has_fixed_axis(body.joint)) detail::find_screws(body, ws.moments.bodies[i], ws.moments.screws.data() + body.v);
    for (int c = 0; c < freedoms(body.joint); ++c) {
      detail::MultiplierColumn<S> y = detail::multiplier_column(body, ws, i, c);
      detail::meet(detail::ContractionRow<S>{out, model.nv, body.v + c, true}, model, ws, i, y);
      const detail::ContractionRow<S> row{out, model.nv, body.v + c, false};
      for (int j = i; model.bodies[j].parent >= 0;) {
        detail::carry(ws.moments.bodies[j], y);
        j = model.bodies[j].parent;
        detail::meet(row, model, ws, j, y);
      }
    }
  }
  add_load_curvatures(model, v,
                      [&](int k, const S& x) { out.vv[k * model.nv + k] = out.vv[k * model.nv + k] + lambda[k] * x; });
}

extern template void rnea_contraction(const Model&, ContractionWorkspace<double>&, const double*, const double*, const double*,
                                      const Force<double>*, const double*, const Contraction<double>&) noexcept;

// Second derivatives of forward dynamics from those of inverse dynamics. Differentiating M ∂a/∂x_b + ∂ID/∂x_b = 0 once more,
//   M ∂²a/∂q_b∂q_c = −(∂²ID/∂q_b∂q_c + ∂M/∂q_b ∂a/∂q_c + ∂M/∂q_c ∂a/∂q_b)
//   M ∂²a/∂q_b∂v_c = −(∂²ID/∂q_b∂v_c + ∂M/∂q_b ∂a/∂v_c)       M ∂²a/∂v_b∂v_c = −∂²ID/∂v_b∂v_c
//   M ∂²a/∂q_b∂τ_c = −∂M/∂q_b M⁻¹ e_c
// with ID's derivatives at a = FD(q, v, τ) (Singh, Russell & Wensing, IEEE Access 2024, eq. 46). The brackets are the inner
// term, M⁻¹ times them the outer term; each can be had in two ways.

/// Results, row-major nv × nv × nv: [a,b,c] at (a nv + b) nv + c is the derivative by c of ∂q̈_a/∂q_b (qq, qv, qtau) or of
/// ∂q̈_a/∂v_b (vv); qtau: ∂²q̈_a/∂q_b∂τ_c = ∂M⁻¹_ac/∂q_b. All other second derivatives are zero. q on the tangent space,
/// perturbed on the right, b first: [a,b,c] and [a,c,b] of qq differ only where b and c belong to one joint.
template <class S>
struct AbaSecondDerivatives {
  S *qq, *qv, *vv, *qtau;  // ∂²/∂q∂q, ∂q∂v, ∂v∂v, ∂q∂τ
};

/// ∂M/∂q_b x for the columns x of ∂a/∂q, ∂a/∂v and M⁻¹. `tensor_product`: from the tensor ∂M/∂q, O(n⁴). `inverse_dynamics`: the
/// first derivative of inverse dynamics at zero velocity and gravity and accelerations x (the paper's ID-first-order-zero),
/// O(n² depth).
enum class InnerTerm { tensor_product, inverse_dynamics };
/// M⁻¹ times the inner term. `matrix_product`: by M⁻¹, O(n⁴). `articulated`: column by column by the articulated-body factors
/// (the paper's ABA-zero), O(n³).
enum class OuterTerm { matrix_product, articulated };

/// How either term is had; the results are the same to rounding.
struct AbaSecondMethod {
  InnerTerm inner;  // in brackets
  OuterTerm outer;  // M⁻¹ times them
};

/// Products run at the speed of the vector units, sweeps over bodies do not. Instructions executed by the whole function
/// (callgrind, clang++ 14 -O3 -ffp-contract=fast), tensor product / ID-first-order-zero:
///                       16     32     64 freedoms
///   AVX2, chain        0.47   0.50   0.69        SSE2, chain        0.49   0.65   0.93
///   AVX2, binary tree  0.51   0.62   0.95        SSE2, binary tree  0.58   0.89   1.38
/// ABA-zero for the outer term is faster nowhere up to 64 (bench/reproduce-singh-russell-wensing draws all).
inline AbaSecondMethod fastest_second_method(int nv) {
  return {nv <= 64 ? InnerTerm::tensor_product : InnerTerm::inverse_dynamics, OuterTerm::matrix_product};
}

/// Allocated once for a model; one a thread.
template <class S>
struct AbaSecondWorkspace {
  /// Takes all memory, O(nv³). The model is not kept.
  explicit AbaSecondWorkspace(const Model& model)
      : first(model),
        id_work(model),
        id(model),
        weightless(without_forces_at_rest(model)),
        still(model),
        changes(model.nv, 3 * model.nv),
        moved(model.nv * model.nv, 3 * model.nv),
        mass_by_q(model.nv * model.nv, model.nv),
        inner(model.nv, model.nv * model.nv),
        outer(model.nv, model.nv * model.nv),
        every(model.nv, 3 * model.nv, [](int, int) { return true; }),
        pattern(model.nv, model.nv * model.nv,
                [&, rows = BranchRows(parent_freedoms(model))](int k, int bc) {
                  const int b = bc / model.nv, c = bc % model.nv;
                  return rows.carries(k, b) || rows.carries(b, k) || rows.carries(k, c) || rows.carries(c, k);
                }),
        zero(model.nv, S(0.0)),
        vector(model.nv),
        matrices(3 * model.nv * model.nv) {
    for (std::vector<S>& tensor : tensors) tensor.resize(static_cast<std::size_t>(model.nv) * model.nv * model.nv);
  }
  AbaDerivativeWorkspace<S> first;        // of q̈ and its first derivatives
  SecondWorkspace<S> id_work;             // of inverse dynamics' second derivatives
  SecondDerivatives<S> id;                // these, without the entries that are always zero
  std::vector<S> tensors[4];              // of inverse dynamics: qq, qv, vv, Mq
  Model weightless;                       // the model without gravity and springs
  MomentWorkspace<S> still;               // of its first derivatives at zero velocity
  PaddedRows<S> changes;                  // [∂a/∂q | ∂a/∂v | M⁻¹]
  PaddedRows<S> moved;                    // row (k, b): −Σ_e ∂M_ke/∂q_b changes_e
  PaddedRows<S> mass_by_q;                // row (k, b): ∂M_ke/∂q_b over e
  PaddedRows<S> inner, outer;             // one tensor, row a, column (b, c)
  ColumnGroups every, pattern;            // of changes; of inner
  std::vector<S> zero, vector, matrices;  // nv, nv, 3 × nv × nv
};

namespace detail {
inline namespace SPARSEDYN_CODE {

template <class S>
void move_by_product(int n, AbaSecondWorkspace<S>& ws) {
  const S* Mq = ws.tensors[3].data();
  for (int k = 0; k < n; ++k)
    for (int e = 0; e < n; ++e)
      for (int b = 0; b < n; ++b) ws.mass_by_q.row(k * n + b)[e] = Mq[(k * n + e) * n + b];
  minus_product(n * n, ws.mass_by_q, ws.changes, ws.every, ws.moved);
}

/// ∂ID/∂q at v = 0, g = 0, a = x is ∂M/∂q_b x.
template <class S>
void move_by_inverse_dynamics(int n, const S* q, AbaSecondWorkspace<S>& ws) {
  S* dq = ws.matrices.data();
  std::vector<S>& x = ws.vector;
  for (int c = 0; c < 3 * n; ++c) {
    for (int e = 0; e < n; ++e) x[e] = ws.changes.row(e)[c];
    rnea_derivatives(ws.weightless, ws.still, q, ws.zero.data(), x.data(), static_cast<const Force<S>*>(nullptr),
                     RneaDerivatives<S>{ws.first.tau.data(), dq, dq + n * n, dq + 2 * n * n});
    for (int kb = 0; kb < n * n; ++kb) ws.moved.row(kb)[c] = -dq[kb];
  }
}

/// result = −M⁻¹ inner.
template <class S>
void solve_inner(const Model& model, AbaSecondWorkspace<S>& ws, OuterTerm method, S* result) {
  const int n = model.nv, columns = n * n;
  if (method == OuterTerm::matrix_product) {
    minus_product(n, ws.first.inverse, ws.inner, ws.pattern, ws.outer);
    for (int a = 0; a < n; ++a) std::copy_n(ws.outer.row(a), columns, result + a * columns);
    return;
  }
  for (int bc = 0; bc < columns; ++bc) {
    for (int k = 0; k < n; ++k) ws.vector[k] = -ws.inner.row(k)[bc];
    articulated_solve(model, ws.first.dynamics, ws.vector.data());
    for (int a = 0; a < n; ++a) result[a * columns + bc] = ws.vector[a];
  }
}

/// inner(k, (b, c)) = `entry`(k, b, c), then the result.
template <class S, class Entry>
void solve_tensor(const Model& model, AbaSecondWorkspace<S>& ws, OuterTerm method, S* result, Entry&& entry) {
  const int n = model.nv;
  for (int k = 0; k < n; ++k)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) ws.inner.row(k)[b * n + c] = entry(k, b, c);
  solve_inner(model, ws, method, result);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// q̈ and its first (`first`) and second derivatives at (q, v, tau) with wrenches fx (as in aba_derivatives). If a joint cannot
/// be solved for, its first entry of v is returned and no result is to be used.
template <class S>
DynamicsStatus aba_second_derivatives(const Model& model, AbaSecondWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                                      const Force<S>* fx, const AbaDerivatives<S>& first, const AbaSecondDerivatives<S>& out,
                                      AbaSecondMethod method) noexcept {
  const int n = model.nv;
  if (model.coordinate_map) method.outer = OuterTerm::matrix_product;
  const bool articulated = method.outer == OuterTerm::articulated;
  const DynamicsStatus status = aba_derivatives(model, ws.first, q, v, tau, fx, first,
                                                articulated ? AbaDerivativeMethod::articulated : AbaDerivativeMethod::inertia);
  if (!status.ok()) return status;
  rnea_second_derivatives(model, ws.id_work, q, v, first.a, fx, ws.id);
  S *qq = ws.tensors[0].data(), *qv = ws.tensors[1].data(), *vv = ws.tensors[2].data();
  ws.id.dense({qq, qv, vv, ws.tensors[3].data()});
  for (int e = 0; e < n; ++e) {
    std::copy_n(first.da_dq + e * n, n, ws.changes.row(e));
    std::copy_n(first.da_dv + e * n, n, ws.changes.row(e) + n);
    std::copy_n(first.da_dtau + e * n, n, ws.changes.row(e) + 2 * n);
  }
  if (method.inner == InnerTerm::tensor_product)
    detail::move_by_product(n, ws);
  else
    detail::move_by_inverse_dynamics(n, q, ws);
  const auto at = [n](int k, int b, int c) { return (k * n + b) * n + c; };
  const auto moved = [&](int k, int b, int c) { return ws.moved.row(k * n + b)[c]; };
  detail::solve_tensor(model, ws, method.outer, out.qq,
                       [&](int k, int b, int c) { return qq[at(k, b, c)] - moved(k, b, c) - moved(k, c, b); });
  detail::solve_tensor(model, ws, method.outer, out.qv,
                       [&](int k, int b, int c) { return qv[at(k, b, c)] - moved(k, b, n + c); });
  detail::solve_tensor(model, ws, method.outer, out.vv, [&](int k, int b, int c) { return vv[at(k, b, c)]; });
  detail::solve_tensor(model, ws, method.outer, out.qtau, [&](int k, int b, int c) { return -moved(k, b, 2 * n + c); });
  return status;
}

/// The same by the method that is fastest for the number of freedoms.
template <class S>
DynamicsStatus aba_second_derivatives(const Model& model, AbaSecondWorkspace<S>& ws, const S* q, const S* v, const S* tau,
                                      const Force<S>* fx, const AbaDerivatives<S>& first,
                                      const AbaSecondDerivatives<S>& out) noexcept {
  return aba_second_derivatives(model, ws, q, v, tau, fx, first, out, fastest_second_method(model.nv));
}

extern template DynamicsStatus aba_second_derivatives(const Model&, AbaSecondWorkspace<double>&, const double*, const double*,
                                                      const double*, const Force<double>*, const AbaDerivatives<double>&,
                                                      const AbaSecondDerivatives<double>&, AbaSecondMethod) noexcept;

// λᵀ ∂²q̈ without a tensor. With μ = −M⁻¹ λ, the equations above multiplied by λᵀ are
//   λᵀ ∂²q̈/∂q_b∂q_c = μᵀ ∂²ID/∂q_b∂q_c + (∂(M μ)/∂q_b)ᵀ ∂a/∂q_c + (∂(M μ)/∂q_c)ᵀ ∂a/∂q_b,     the others likewise:
// one contraction of inverse dynamics and three products of n × n matrices.

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
