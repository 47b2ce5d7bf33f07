// Second derivatives of inverse dynamics by moment matrices, for every joint, with external wrenches.
//
// With e_x = z_x × ρ + l_x the displacement by freedom x and A = r'' − g, every second derivative is a sum over the mass below
// the deepest of three freedoms i, j, k (each above or in the joint of the next) of products of e_i, e_j, e_k and their rates.
// What depends on k travels up as a SecondOrderColumn, four neighbouring k side by side; at j it makes the PairMoments of (j,
// k), which meet the screws of every i above, as the body of j sees them. Derivation, and the order of differentiation within a
// joint: docs/second-derivatives.md.
#pragma once

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

}  // namespace sparsedyn
