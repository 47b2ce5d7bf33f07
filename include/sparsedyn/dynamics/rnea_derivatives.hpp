// Analytic first derivatives of inverse dynamics by moment matrices, for every joint, with external wrenches.
//
// Turning or shifting everything below joint i along one of its freedoms adds a wrench below the joint; carried towards the
// base as forces are, it gives the column ∂τ_j/∂q_i, ∂τ_j/∂v_i of every ancestor j. Going up with it, the freedom's own
// column of M and its rate give the row ∂τ_i/∂q_j, ∂τ_i/∂v_j. Derivation: docs/derivatives.md.
#pragma once

#include <algorithm>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/ancestor_entries.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"

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

/// A freedom of body i (index in v) with every joint between it and body `junction`, into whose frame the force column y is
/// carried.
template <class S>
[[gnu::always_inline]] inline void propagate_alone(const Model& model, const MomentWorkspace<S>& ws, int i, int freedom,
                                                   int junction, int stride, ForceColumn<S>& y, const RneaDerivatives<S>& out) {
  const Row<S> row{out, stride, freedom};
  for (int j = i; model.bodies[j].parent >= 0;) {
    carry(ws.bodies[j], y);
    j = model.bodies[j].parent;
    if (j == junction) return;
    meet(row, model.bodies[j], ws.bodies[j], ws.screws.data(), vectors_of(y), true);
  }
}

/// Four freedoms that have met in the frame of a body, with its joint and every joint between it and the world.
template <class S>
[[gnu::always_inline]] inline void propagate_in_lanes(const Model& model, const MomentWorkspace<S>& ws,
                                                      const ForceColumnGroup& group, ForceColumnVectors<simd<S, 4>> y,
                                                      int stride, const RneaDerivatives<S>& out) {
  const FourRows<S> rows(out, stride, group.freedom);
  int j = group.junction;
  meet(rows, model.bodies[j], ws.bodies[j], ws.screws.data(), y, true);
  while (model.bodies[j].parent >= 0) {
    carry(ws.bodies[j], y);
    j = model.bodies[j].parent;
    meet(rows, model.bodies[j], ws.bodies[j], ws.screws.data(), y, true);
  }
}

/// τ, and the entries on the branches of ∂τ/∂q, ∂τ/∂v and M, which here may be null; rows `stride` numbers apart.
template <class S>
void send_force_columns(const Model& model, MomentWorkspace<S>& ws, int stride, const RneaDerivatives<S>& out) noexcept {
  start_force_columns(model, ws, stride, out);
  for (const ForceColumnGroup& group : ws.plan.groups) {
    ForceColumn<S> y[4];
    for (int l = 0; l < 4; ++l) y[l] = load(ws.force_columns[group.freedom[l]]);
    for (int l = 0; l < group.count; ++l)
      propagate_alone(model, ws, group.body[l], group.freedom[l], group.junction, stride, y[l], out);
    if (group.junction < 0) continue;
    for (int l = group.count; l < 4; ++l) y[l] = y[l - 1];
    propagate_in_lanes(model, ws, group, for_each_lane(y), stride, out);
  }
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
  add_joint_torques(model, v, a, out.tau);
  add_load_slopes(model, v, [&](int k) -> S& { return out.dtau_dv[k * n + k]; });
  add_armature<S>(model, [&](int k) -> S& { return out.M[k * n + k]; });
}

extern template void rnea_derivatives(const Model&, MomentWorkspace<double>&, const double*, const double*, const double*,
                                      const Force<double>*, const RneaDerivatives<double>&) noexcept;

}  // namespace sparsedyn
