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

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

/// Results, row by row in the order of v, all entries written: 0 between joints of different branches.
template <class S>
struct CoriolisMatrices {
  S* C;  // nv × nv
  S* M;  // nv × nv, symmetric: the joint-space inertia
};

/// Body i in its own frame, origin O_i, and all mass m below its joint: ρ a point's position from O_i, ρ' its rate.
template <class S>
struct CoriolisMoments {
  Pose<S> pose;    // in the parent
  Vec3<S> w;       // angular velocity ω
  Vec3<S> rate;    // velocity of O_i relative to the parent's origin, in the parent's axes
  S m;             // kg
  Vec3<S> h, p;    // Σ m ρ, Σ m ρ'
  Sym3<S> second;  // Σ m ρρᵀ
  Mat3<S> G;       // Σ m ρρ'ᵀ
};

/// Allocated once for a model; one per thread.
template <class S>
struct CoriolisWorkspace {
  /// Takes all memory; the model is not kept.
  explicit CoriolisWorkspace(const Model& model)
      : bodies(model.bodies.size()), C(static_cast<std::size_t>(model.nv * model.nv)), M(C.size()), dynamics(model) {}
  std::vector<CoriolisMoments<S>> bodies;  // by body
  std::vector<S> C, M;                     // of hamilton
  Workspace<S> dynamics;                   // of hamilton
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// What freedom i sends towards the base: (f, n) its column of M, k = Σ ρ' × m e, and the wrench (F, N) = Σ m e'.
template <class S>
struct CoriolisColumn {
  Vec3<S> f, n, k, F, N;
};

/// Motion of every body, and the moments of each body alone: G = Σ [ω]×ᵀ, p = ω × h.
template <class S>
void coriolis_motion(const Model& model, CoriolisWorkspace<S>& ws, const S* q, const S* v) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Inertia<Constant<S>> I = cast<Constant<S>>(body.inertia);
    CoriolisMoments<S>& x = ws.bodies[i];
    const Motion<S> joint = joint_motion(body, v);
    const Vec3<S> parent_w = body.parent < 0 ? zero3<S>() : ws.bodies[static_cast<std::size_t>(body.parent)].w;
    x.pose = joint_pose(body, q);
    x.w = transposed_times(x.pose.R, parent_w) + joint.w;
    x.rate = x.pose.R * joint.v + cross(parent_w, x.pose.d);
    x.m = S(I.m), x.h = cast<S>(I.h), x.second = cast<S>(I.moments), x.p = cross(x.w, I.h);
    const Sym3<Constant<S>>& s = I.moments;
    const Vec3<Constant<S>> rows[3] = {{{s.xx, s.xy, s.xz}}, {{s.xy, s.yy, s.yz}}, {{s.xz, s.yz, s.zz}}};
    for (int r = 0; r < 3; ++r) {
      const Vec3<S> row = cross(x.w, rows[r]);
      for (int c = 0; c < 3; ++c) x.G(r, c) = row[c];
    }
  }
}

/// Adds the moments of x to its parent's: Σ' = R Σ Rᵀ + h dᵀ + d (h + m d)ᵀ, G' = R G Rᵀ + d pᵀ + (h + m d) wᵀ, w: the rate of
/// d.
template <class S>
void gather(const CoriolisMoments<S>& x, CoriolisMoments<S>& parent) {
  const Vec3<S> p = x.pose.R * x.p;
  const Inertia<S> I = to_parent(x.pose, Inertia<S>{x.m, x.h, x.second});
  const Mat3<S> G = x.pose.R * x.G * transpose(x.pose.R);
  parent.m = parent.m + x.m;
  parent.h = parent.h + I.h;
  parent.p = parent.p + p + x.m * x.rate;
  parent.second = parent.second + I.moments;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) parent.G(r, c) = parent.G(r, c) + G(r, c) + x.pose.d[r] * p[c] + I.h[r] * x.rate[c];
}

/// tr(G) y − G y and tr(G) y − Gᵀ y: Σ ρ' × m (y × ρ) and Σ ρ × m (y × ρ').
template <class S, class T>
Vec3<S> column_moment(const Mat3<S>& G, const Vec3<T>& y) {
  return (G(0, 0) + G(1, 1) + G(2, 2)) * y - G * y;
}
template <class S, class T>
Vec3<S> rate_moment(const Mat3<S>& G, const Vec3<T>& y) {
  return (G(0, 0) + G(1, 1) + G(2, 2)) * y - transposed_times(G, y);
}

/// A freedom (z, l), fixed in its body: z' = ω × z, l' = ω × l, and
///   f = z × h + m l,  n = I z + h × l,  k = (tr G − G) z + p × l
///   F = z' × h + z × p + m l',  N = I z' + (tr G − Gᵀ) z + h × l'
template <class S>
CoriolisColumn<S> coriolis_column(const CoriolisMoments<S>& x, const Motion<Constant<S>>& e) {
  const Vec3<S> z1 = cross(x.w, e.w), l1 = cross(x.w, e.v);
  const Sym3<S> I = trace_minus(x.second);
  return {cross(e.w, x.h) + x.m * e.v, I * e.w + cross(x.h, e.v), column_moment(x.G, e.w) + cross(x.p, e.v),
          cross(z1, x.h) + cross(e.w, x.p) + x.m * l1, I * z1 + rate_moment(x.G, e.w) + cross(x.h, l1)};
}
/// About z = e_z, so that z' = (ω_y, −ω_x, 0).
template <class S>
CoriolisColumn<S> coriolis_column_about_z(const CoriolisMoments<S>& x) {
  const Sym3<S>& s = x.second;
  const Mat3<S>& G = x.G;
  const S &wx = x.w[0], &wy = x.w[1], zero(0.0), trace = G(0, 0) + G(1, 1), zz = s.xx + s.yy;
  const Vec3<S> Iz1{{(s.yy + s.zz) * wy + s.xy * wx, -((s.xx + s.zz) * wx + s.xy * wy), s.yz * wx - s.xz * wy}};
  const Vec3<S> z1_h{{-(wx * x.h[2]), -(wy * x.h[2]), wy * x.h[1] + wx * x.h[0]}};
  return {{{-x.h[1], x.h[0], zero}},
          {{-s.xz, -s.yz, zz}},
          {{-G(0, 2), -G(1, 2), trace}},
          z1_h + Vec3<S>{{-x.p[1], x.p[0], zero}},
          Iz1 + Vec3<S>{{-G(2, 0), -G(2, 1), trace}}};
}

/// One frame towards the base: moments += d × forces, for k with the rate of d.
template <class S>
void carry(const CoriolisMoments<S>& x, CoriolisColumn<S>& y) {
  const Mat3<S>& R = x.pose.R;
  y.f = R * y.f;
  y.F = R * y.F;
  y.n = R * y.n + cross(x.pose.d, y.f);
  y.k = R * y.k + cross(x.rate, y.f);
  y.N = R * y.N + cross(x.pose.d, y.F);
}

/// Entries of freedom i with those of a joint (z, l) that carries it:
///   M_ij = z · n + l · f    C_ij = z' · n + z · k + l' · f = z · (n × ω + k) + l · (f × ω)    C_ji = z · N + l · F
template <class S>
void coriolis_entries(const Body& body, const Vec3<S>& w, const CoriolisColumn<S>& y, int i, int nv, bool ancestor,
                      const CoriolisMatrices<S>& out) {
  const int end = body.v + freedoms(body.joint);
  S* const row = out.C + i * nv;
  joint_force(body, Force<S>{cross(y.n, w) + y.k, cross(y.f, w)}, row);
  joint_force(body, Force<S>{y.n, y.f}, out.M + i * nv);
  if (!ancestor) return;
  S below[6];
  force_on_freedoms(body, Force<S>{y.N, y.F}, below);
  for (int j = body.v; j < end; ++j) {
    out.C[j * nv + i] = below[j - body.v];
    out.M[j * nv + i] = out.M[i * nv + j];
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// C(q, v) and M(q). q: nq, v: nv. SI units. About 350 flops a body and 120 for each pair of joints on a branch; no heap.
template <class S>
void coriolis(const Model& model, CoriolisWorkspace<S>& ws, const S* q, const S* v, const CoriolisMatrices<S>& out) noexcept {
  const int n = static_cast<int>(model.bodies.size()), nv = model.nv;
  for (S* matrix : {out.C, out.M}) std::fill(matrix, matrix + nv * nv, S(0.0));
  detail::coriolis_motion(model, ws, q, v);
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    const CoriolisMoments<S>& x = ws.bodies[i];
    for (int c = 0; c < freedoms(body.joint); ++c) {
      detail::CoriolisColumn<S> y = body.joint == BodyJoint::revolute
                                        ? detail::coriolis_column_about_z(x)
                                        : detail::coriolis_column(x, cast<Constant<S>>(motion_subspace(body, c)));
      detail::coriolis_entries(body, x.w, y, body.v + c, nv, false, out);
      for (int j = i; model.bodies[j].parent >= 0;) {
        detail::carry(ws.bodies[j], y);
        j = model.bodies[j].parent;
        detail::coriolis_entries(model.bodies[j], ws.bodies[j].w, y, body.v + c, nv, true, out);
      }
    }
    if (body.parent >= 0) detail::gather(x, ws.bodies[body.parent]);
  }
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
