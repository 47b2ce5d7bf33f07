// The Coriolis matrix, by moment matrices, and Hamilton's equations of motion, which need it.
//
// Freedom i moves a mass point below it with e_i = z_i × ρ + l_i, so that r' = Σ e_j v_j and r'' = Σ e_j a_j + Σ e_j' v_j.
// Then M_ij = Σ m e_i · e_j, and
//   C_ij = Σ m e_i · e_j'     has     C v = bias(q, v) − bias(q, 0)     and     Ṁ = C + Cᵀ
// (what the joints take left out) for every joint, at a free base too, where ½ ∂τ/∂v has not. It is the C of Pinocchio. Of the
// many C with C v = bias this one makes Ṁ − 2 C skew (Slotine & Li 1987).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/coriolis_column.hpp"
#include "sparsedyn/dynamics/detail/force_column_travel.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

/// Allocated once for a model; one per thread.
template <class S>
struct CoriolisWorkspace {
  /// Takes all memory; the model is not kept.
  explicit CoriolisWorkspace(const Model& model)
      : moments(model), C(static_cast<std::size_t>(model.nv * model.nv)), M(C.size()), dynamics(model) {}
  MomentWorkspace<S> moments;  // of velocities alone
  std::vector<S> C, M;         // of hamilton
  Workspace<S> dynamics;       // of hamilton
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Motion of every body, and the moments of each body alone: G = Σ [ω]×ᵀ, p = ω × h.
template <class S>
void coriolis_motion(const Model& model, MomentWorkspace<S>& ws, const S* q, const S* v) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    BodyMoments<S>& x = ws.bodies[i];
    const Vec3<S> parent_w = body.parent < 0 ? zero3<S>() : ws.bodies[static_cast<std::size_t>(body.parent)].motion.w;
    if (body.joint == BodyJoint::revolute) {
      x.pose = {turned_about_z<S>(cast<Constant<S>>(body.placement.R), q[body.q]), cast<S>(body.placement.d)};
      x.motion.w = transposed_times(x.pose.R, parent_w);
      x.motion.w[2] = x.motion.w[2] + v[body.v];
      x.w = cross(parent_w, x.pose.d);
    } else {
      const Motion<S> joint = joint_motion(body, v);
      x.pose = joint_pose(body, q);
      x.motion.w = transposed_times(x.pose.R, parent_w) + joint.w;
      x.w = x.pose.R * joint.v + cross(parent_w, x.pose.d);
    }
    with_inertia<S>(body.inertia, [&](const auto& I) {
      weigh_second(I, x);
      const Vec3<S> p = cross(x.motion.w, I.h);
      for (int r = 0; r < 3; ++r) keep(lanes(S(I.h[r]), p[r], S(0.0), S(0.0)), x.vectors[r]);
    });
  }
}

template <class S>
CoriolisMoments<S> coriolis_moments(const BodyMoments<S>& x, SubtreeMass<S> m) {
  const SimdMemory<S, 4>*s = x.second, *g = x.rate;
  CoriolisMoments<S> r{x.motion.w, S(m), x.h(), x.p(), {s[0][0], s[0][1], s[0][2], s[1][1], s[1][2], s[2][2]}, {}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r.G(i, k) = g[i][k];
  return r;
}

/// Where the columns of four revolute freedoms start, and their entries with themselves.
template <class S>
[[gnu::always_inline]] inline void start_coriolis_revolute(const Model& model, MomentWorkspace<S>& ws,
                                                           const std::array<int, 4>& bodies, const CoriolisMatrices<S>& out) {
  const RevoluteMoments<simd<S, 4>> x = revolute_moments(ws, bodies);
  const CoriolisColumn<simd<S, 4>> y = coriolis_column_about_z(x);
  const Vec3<simd<S, 4>> none{{simd<S, 4>(S(0.0)), simd<S, 4>(S(0.0)), simd<S, 4>(S(0.0))}};
  CoriolisDiagonals<S> diagonals{out, {}};
  ForceColumn<S> columns[4];
  separate(ForceColumnVectors<simd<S, 4>>{y.f, y.n, y.k, y.F, y.N, none, none}, columns);
  for (int l = 0; l < 4; ++l) {
    const int freedom = model.bodies[bodies[l]].v;
    diagonals.entry[l] = static_cast<std::ptrdiff_t>(freedom) * (model.nv + 1);
    keep(columns[l], ws.force_columns[freedom]);
  }
  meet_about_z(diagonals, 0, x.motion.wx, x.motion.wy, y, false);
}

/// The freedoms of a free body at the world, which send nothing.
template <class S>
void start_free_base(const Body& body, const BodyMoments<S>& x, SubtreeMass<S> m, int nv, const CoriolisMatrices<S>& out) {
  const Vec3<S>& w = x.motion.w;
  for (int c = 0; c < 3; ++c) {
    const FreeBaseColumns<S> y = free_base_columns(x, m, c);
    const auto start = [&](int i, const typename FreeBaseColumns<S>::Sums& sums) {
      const CoriolisRow<S> row{out, nv, i};
      const Vec3<S> moment = cross(sums.n, w) + sums.k, force = cross(sums.f, w);
      for (int r = 0; r < 3; ++r) {
        row.mass(body.v + r, sums.n[r]), row.mass(body.v + 3 + r, sums.f[r]);
        row.of_i(body.v + r, moment[r]), row.of_i(body.v + 3 + r, force[r]);
      }
    };
    start(body.v + c, y.angular), start(body.v + 3 + c, y.linear);
  }
}

/// Fills ws.force_columns, and the entries of the freedoms of each joint with one another.
template <class S>
void start_coriolis_columns(const Model& model, MomentWorkspace<S>& ws, const CoriolisMatrices<S>& out) {
  for (const std::array<int, 4>& four : ws.plan.revolute) start_coriolis_revolute(model, ws, four, out);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.joint == BodyJoint::revolute) continue;
    if (is_free_base(body)) {
      start_free_base(body, ws.bodies[i], ws.mass[i], model.nv, out);
      continue;
    }
    const CoriolisMoments<S> x = coriolis_moments(ws.bodies[i], ws.mass[i]);
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const CoriolisColumn<S> y = coriolis_column(x, cast<Constant<S>>(motion_subspace(body, c)));
      keep(force_column_of(y), ws.force_columns[body.v + c]);
      meet_any(CoriolisRow<S>{out, model.nv, body.v + c}, body, x.w, y, false);
    }
  }
}

/// Entries that a column gives at its ancestors' joints.
template <class S>
struct CoriolisEntries {
  const Model& model;
  const MomentWorkspace<S>& ws;
  const CoriolisMatrices<S>& out;
  CoriolisRow<S> row(int i) const { return {out, model.nv, i}; }
  CoriolisRows<S> rows(const std::array<int, 4>& i) const { return {out, model.nv, i}; }
  [[gnu::always_inline]] CoriolisColumn<S> alone(const ForceColumn<S>& y) const { return coriolis_part(vectors_of(y)); }
  [[gnu::always_inline]] CoriolisColumn<simd<S, 4>> four(const ForceColumn<S>* y) const {
    return coriolis_part(for_each_lane(y));
  }
  template <class R, class T>
  [[gnu::always_inline]] void meet(const R& entries, int j, const CoriolisColumn<T>& y) const {
    detail::meet(entries, model.bodies[j], ws.bodies[j].motion.w, y, true);
  }
};

/// The entries between joints of one branch.
template <class S>
void send_coriolis_columns(const Model& model, MomentWorkspace<S>& ws, const CoriolisMatrices<S>& out) {
  start_coriolis_columns(model, ws, out);
  send_columns(model, ws, CoriolisEntries<S>{model, ws, out});
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// C(q, v) and M(q). q: nq, v: nv. SI units. About 350 flops a body and 150 for each pair of joints on a branch, most of them
/// four side by side; no heap.
template <class S>
void coriolis(const Model& model, CoriolisWorkspace<S>& ws, const S* q, const S* v, const CoriolisMatrices<S>& out) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // Gᵀ C_t G, Gᵀ M_t G
    TreeNumbers<S>& t = ws.moments.tree;
    coriolis(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
             CoriolisMatrices<S>{t.matrix[0].data(), t.matrix[1].data()});
    gather_matrix(*map, t.matrix[0].data(), out.C);
    return gather_matrix(*map, t.matrix[1].data(), out.M);
  }
  const int nv = model.nv;
  for (S* matrix : {out.C, out.M}) std::fill(matrix, matrix + nv * nv, S(0.0));
  detail::coriolis_motion(model, ws.moments, q, v);
  gather_moments(model, ws.moments);
  detail::send_coriolis_columns(model, ws.moments, out);
  add_armature<S>(model, [&](int k) -> S& { return out.M[k * nv + k]; });
}

/// Hamilton's equations in the momenta p of the coordinates v, for which v is no rate of coordinates at a free base:
///   p = M v,  ṗ = Cᵀ v + τ − bias(q, 0) + Σ Jᵀ fx, and less what the joints take at v
/// q: nq, v, tau: nv; fx: as in rnea, or null; p (kg m²/s, kg m/s) and its rate: nv, written. O(n · depth + nv²), no heap.
template <class S>
void hamilton(const Model& model, CoriolisWorkspace<S>& ws, const S* q, const S* v, const S* tau, const Force<S>* fx, S* p,
              S* p_rate) noexcept {
  const int nv = model.nv;
  coriolis(model, ws, q, v, CoriolisMatrices<S>{ws.C.data(), ws.M.data()});
  std::fill(p, p + nv, S(0.0));
  bias_forces(model, ws.dynamics, q, p, fx, p_rate);  // at rest
  for (int i = 0; i < nv; ++i) p_rate[i] = tau[i] - p_rate[i];
  add_load_changes(model, v, p_rate);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < nv; ++j) {
      p[i] = p[i] + ws.M[i * nv + j] * v[j];
      p_rate[j] = p_rate[j] + ws.C[i * nv + j] * v[i];
    }
}

#define SPARSEDYN_DECLARE(S)                                                                                                   \
  extern template void coriolis(const Model&, CoriolisWorkspace<S>&, const S*, const S*, const CoriolisMatrices<S>&) noexcept; \
  extern template void hamilton(const Model&, CoriolisWorkspace<S>&, const S*, const S*, const S*, const Force<S>*, S*,        \
                                S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
