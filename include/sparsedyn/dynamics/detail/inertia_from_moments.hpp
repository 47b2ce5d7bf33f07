// M from the second moments of the subtrees: composite bodies (Walker & Orin 1982), whose columns travel in the groups in which
// the force columns of the derivatives do.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/joint_screws.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/detail/packed_ltdl.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// (n, f) = Σ (ρ × m e, m e) of freedom c of a body's joint: its column of M as a wrench in the body's frame.
template <class S>
[[gnu::always_inline]] inline Force<S> column_wrench(const Body& body, const BodyMoments<S>& x, SubtreeMass<S> m, int c) {
  const Vec3<S> h = x.h();
  if (body.joint == BodyJoint::revolute)
    return {{{-x.second[0][2], -x.second[1][2], x.second[0][0] + x.second[1][1]}}, ez_cross(h)};
  const Motion<Constant<S>> e = cast<Constant<S>>(motion_subspace(body, c));
  return {inertia_times(x.second, e.w) + cross(h, e.v), cross(e.w, h) + m * e.v};
}

/// Entries of M between a freedom, whose wrench y is in the frame of `body`, and the freedoms of the body's joint.
template <class S>
[[gnu::always_inline]] inline void set_inertia(const Body& body, const Force<S>& y, S* entries) {
  if (body.joint == BodyJoint::revolute)
    *entries = y.n[2];
  else
    force_on_freedoms(body, y, entries);
}
/// The same of four freedoms, a freedom a lane, from entry `first` of their rows.
template <class S>
[[gnu::always_inline]] inline void set_inertia(const Body& body, const Force<simd<S, 4>>& y, S* const* rows, int first) {
  const auto set = [&](int c, const simd<S, 4>& values) {
    for (int l = 0; l < 4; ++l) rows[l][first + c] = values[l];
  };
  if (body.joint == BodyJoint::revolute) return set(0, y.n[2]);
  simd<S, 4> entries[6];
  force_on_freedoms(body, y, entries);
  for (int c = 0; c < freedoms(body.joint); ++c) set(c, entries[c]);
}

/// Freedom c of body i and all that carry it below body `junction`; returns its wrench, carried to where it stops.
template <class S>
[[gnu::always_inline]] inline Force<S> column_alone(const Model& model, const MomentWorkspace<S>& ws, const BranchRows& rows,
                                                    int i, int c, int junction, S* row) {
  const Body* const bodies = model.bodies.data();
  Force<S> y = column_wrench(bodies[i], ws.bodies[i], ws.mass[i], c);
  S own[6];
  set_inertia(bodies[i], y, own);
  for (int k = 0; k <= c; ++k) row[rows.depth(bodies[i].v) + k] = own[k];
  for (int j = i; bodies[j].parent >= 0;) {
    y = to_parent(ws.bodies[j].pose, y);
    j = bodies[j].parent;
    if (j == junction) break;
    set_inertia(bodies[j], y, row + rows.depth(bodies[j].v));
  }
  return y;
}

/// Four freedoms, whose wrenches are in the frame of body j, and all that carry them.
template <class S>
[[gnu::always_inline]] inline void columns_in_lanes(const Model& model, const MomentWorkspace<S>& ws, const BranchRows& rows,
                                                    int j, const Force<S>* wrenches, S* const* row) {
  const Body* const bodies = model.bodies.data();
  const auto four = [](const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c, const Vec3<S>& d) {
    return Vec3<simd<S, 4>>{{lanes(a[0], b[0], c[0], d[0]), lanes(a[1], b[1], c[1], d[1]), lanes(a[2], b[2], c[2], d[2])}};
  };
  Force<simd<S, 4>> y{four(wrenches[0].n, wrenches[1].n, wrenches[2].n, wrenches[3].n),
                      four(wrenches[0].f, wrenches[1].f, wrenches[2].f, wrenches[3].f)};
  set_inertia(bodies[j], y, row, rows.depth(bodies[j].v));
  while (bodies[j].parent >= 0) {
    y = to_parent(ws.bodies[j].pose, y);
    j = bodies[j].parent;
    set_inertia(bodies[j], y, row, rows.depth(bodies[j].v));
  }
}

/// Rows of M, all entries written, and its sizes. After moment_passes.
template <class S>
void inertia_from_moments(const Model& model, const MomentWorkspace<S>& ws, PackedLtdl<S>& M) {
  const BranchRows& rows = M.rows();
  M.clear();
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    const SimdMemory<S, 4>* const second = ws.bodies[i].second;
    set_sizes(body, Vec3<S>{{second[0][0], second[1][1], second[2][2]}}, S(ws.mass[i]), M);
    if (body.parent >= 0) continue;
    for (int c = 0; c < freedoms(body.joint); ++c) column_alone(model, ws, rows, i, c, -1, M.row(body.v + c));
  }
  for (const ForceColumnGroup& group : ws.plan.groups) {
    Force<S> y[4];
    S* row[4];
    for (int l = 0; l < group.count; ++l) {
      const int i = group.body[l], freedom = group.freedom[l];
      row[l] = M.row(freedom);
      y[l] = column_alone(model, ws, rows, i, freedom - model.bodies[i].v, group.junction, row[l]);
    }
    if (group.junction < 0) continue;
    for (int l = group.count; l < 4; ++l) y[l] = y[l - 1], row[l] = row[l - 1];
    columns_in_lanes(model, ws, rows, group.junction, y, row);
  }
  add_armature<S>(model, [&](int k) -> S& { return M.row(k)[rows.depth(k)]; });
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

}  // namespace sparsedyn
