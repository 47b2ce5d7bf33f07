// What a change of one freedom does to λᵀτ = Σ m y·(r'' − g), with y the velocity at the rates λ: it changes wrenches, and
// momenta of the multiplier motion, below it, and these meet every joint above. docs/second-derivatives.md, "Contracted with
// multipliers".
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/multiplier_motion.hpp"

namespace sparsedyn {

/// Row-major nv × nv, written: X[b,c] = Σ_a λ_a [a,b,c], the derivative by c of λᵀ∂τ/∂q_b (qq, qv), of λᵀ∂τ/∂v_b (vv), and of
/// (M λ)_b (Mq), with λ constant. q on the tangent space, b first.
template <class S>
struct Contraction {
  S *qq, *qv, *vv, *Mq;  // nv × nv each
};

/// Allocated once for a model; one a thread.
template <class S>
struct ContractionWorkspace {
  /// Takes all memory. The model is not kept.
  explicit ContractionWorkspace(const Model& model) : moments(model), test(model.bodies.size()) {}
  MomentWorkspace<S> moments;             // of the motion itself
  std::vector<MultiplierMotion<S>> test;  // by body
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// What a change of freedom c sends towards the base beside its wrenches: `force_column` has, in the places of f, n, k, the
/// changes f^, n^, k^ of the momenta Σ m y, Σ ρ × m y, Σ ρ' × m y.
template <class S>
struct MultiplierColumn {
  ForceColumn<S> force_column;
  Vec3<simd<S, 4>> turning;  // f | n | s = Σ m e × y | 0
};

template <class S>
[[gnu::always_inline]] inline void carry(const BodyMoments<S>& x, MultiplierColumn<S>& y) {
  const Mat3<S>& R = x.pose.R;
  carry(x, y.force_column);
  const Vec3<simd<S, 4>> u = R * y.turning;
  const Vec3<S> moment = cross(x.pose.d, lane(u, 0));
  const S o(0.0);
  for (int r = 0; r < 3; ++r) y.turning[r] = u[r] + lanes(o, moment[r], o, o);
}

/// multiplier_column about e_z, with the carrier the body itself: z^ = (w_y, −w_x, 0), L^ = (y_y, −y_x, 0), z' = (ω_y, −ω_x,
/// 0).
template <class S>
MultiplierColumn<S> revolute_multiplier_column(const BodyMoments<S>& x, const MultiplierMotion<S>& t, SubtreeMass<S> m) {
  const SimdMemory<S, 4>*s = x.second, *g = x.rate, *gt = t.rate;
  const Vec3<S> h = x.h(), P = t.p + m * t.v;
  const S &wx = x.motion.w[0], &wy = x.motion.w[1], &tx = t.w[0], &ty = t.w[1];
  // (b, −a, 0) × u and Qᵀ (b, −a, 0)
  const auto flat_cross = [](const S& a, const S& b, const Vec3<S>& u) {
    return Vec3<S>{{-(a * u[2]), -(b * u[2]), b * u[1] + a * u[0]}};
  };
  const auto flat_qt = [](const SimdMemory<S, 4>* r, const S& a, const S& b) {
    const S xx = r[1][1] + r[2][2], yy = r[0][0] + r[2][2];
    return Vec3<S>{{xx * b + r[0][1] * a, -(yy * a + r[1][0] * b), r[2][1] * a - r[2][0] * b}};
  };
  const Vec3<S> angular{{gt[1][2] - gt[2][1], gt[2][0] - gt[0][2], gt[0][1] - gt[1][0]}};
  const Vec3<S> L{{t.v[1], -t.v[0], S(0.0)}}, Qz{{-gt[0][2], -gt[1][2], gt[0][0] + gt[1][1]}};
  const ForceColumnVectors<S> force_column = revolute_column(revolute_moments(x, m));
  const Vec3<S> f1 = flat_cross(wx, wy, h) + ez_cross(x.p()), test_f = flat_cross(tx, ty, h) + ez_cross(P) + m * L;
  const Vec3<S> test_n = flat_qt(s, tx, ty) + ez_cross(angular + cross(h, t.v)) - flat_cross(t.v[0], t.v[1], h);
  const Vec3<S> test_k = flat_qt(g, tx, ty) + ez_cross(t.kappa) - flat_qt(gt, wx, wy) + cross(f1, t.v);
  const Vec3<S> turned = cross(force_column.f, t.v) - Qz;
  MultiplierColumn<S> y{packed<S>({test_f, test_n, test_k, force_column.Fq, force_column.Nq, force_column.Fv, force_column.Nv}),
                        {}};
  for (int r = 0; r < 3; ++r) y.turning[r] = lanes(force_column.f[r], force_column.n[r], turned[r], S(0.0));
  return y;
}

/// The force column of freedom c of body i. With e' the rate that the carrier gives it, e^ likewise at the rates λ, z^ and
/// L^ = l^ − z × y_c (y_c: the carrier's y at O_i), all rates from the carrier's point at O_i:
///   f^ = z^ × h + z × P + m L^                 P = Σ m y, N^ = Σ ρ × m y
///   n^ = I z^ + z × N^ + l × P + h × L^
///   k^ = Qᵀ z^ + p × l^ + z × κ − Q^ᵀ z' + Σ m e' × y_c + l' × p^
///   s  = f × y_c − Q^ᵀ z + l × p^              Q^ᵀ x = tr(G^) x − G^ x, G^ = Σ m ρ ρ^ᵀ
template <class S>
MultiplierColumn<S> multiplier_column(const Body& body, const ContractionWorkspace<S>& ws, int i, int c) {
  const BodyMoments<S>& x = ws.moments.bodies[i];
  const MultiplierMotion<S>& t = ws.test[i];
  const SubtreeMass<S> m = ws.moments.mass[i];
  if (body.joint == BodyJoint::revolute) return revolute_multiplier_column(x, t, m);
  const bool fixed = has_fixed_axis(body.joint);
  const Motion<Constant<S>> e = cast<Constant<S>>(motion_subspace(body, c));
  const Vec3<S> vJ = fixed ? zero3<S>() : x.v_joint, w = fixed ? x.motion.w : x.parent.w;
  const Vec3<S>&y = t.carrier_v, &yJ = t.joint_v;
  const Vec3<S> h = x.h(), z1 = cross(w, e.w), l1 = cross(w, e.v), zt = cross(t.carrier_w, e.w), lt = cross(t.carrier_w, e.v);
  const Vec3<S> p = x.p() + m * vJ, pt = t.p + m * yJ, P = pt + m * y, L = lt - cross(e.w, y);
  const Vec3<S> angular{{t.rate[1][2] - t.rate[2][1], t.rate[2][0] - t.rate[0][2], t.rate[0][1] - t.rate[1][0]}};
  const Vec3<S> N = angular + cross(h, yJ + y);
  const Vec3<S> kappa = t.kappa + cross(vJ, pt) + cross(x.p(), yJ);
  const auto qt_from_carrier = [&](const SimdMemory<S, 4>* rate, const Vec3<S>& v, const auto& u) {
    return qt_times(rate, u) + dot(h, v) * u - dot(v, u) * h;
  };
  ForceColumn<S> force_column = force_column_of(body, ws.moments, i, c);
  const Vec3<S> f = lane(force_column.forces, 0), n = lane(force_column.moments, 0), f1 = cross(z1, h) + cross(e.w, p) + m * l1;
  const Vec3<S> ft = cross(zt, h) + cross(e.w, P) + m * L;
  const Vec3<S> nt = inertia_times(x.second, zt) + cross(e.w, N) + cross(e.v, P) + cross(h, L);
  const Vec3<S> kt = qt_from_carrier(x.rate, vJ, zt) + cross(p, lt) + cross(e.w, kappa) - qt_from_carrier(t.rate, yJ, z1) +
                     cross(f1, y) + cross(l1, pt) - cross(vJ, ft);
  const Vec3<S> s = cross(f, y) - qt_from_carrier(t.rate, yJ, cast<S>(e.w)) + cross(e.v, pt);
  MultiplierColumn<S> r{force_column, {}};
  for (int k = 0; k < 3; ++k) {
    r.force_column.forces[k] = lanes(ft[k], ft[k], force_column.forces[k][2], force_column.forces[k][3]);
    r.force_column.moments[k] = lanes(nt[k], kt[k], force_column.moments[k][2], force_column.moments[k][3]);
    r.turning[k] = lanes(f[k], n[k], s[k], S(0.0));
  }
  return r;
}

/// Entries of freedom c with freedom b of an ancestor's joint, or, if `own`, of its own: there each order of b and c has its
/// own formula. What the first derivatives would make of (f^, n^, k^) is ready when `meet` calls.
template <class S>
struct ContractionRow {
  const Contraction<S>& out;
  int nv, c;
  bool own;
  void mass(int b, const S& value) const {
    if (!own) out.Mq[b * nv + c] = value;
  }
  void of_i(int b, const S& by_q, const S& by_v) const {
    S &cb = out.qq[c * nv + b], &bc = out.qq[b * nv + c];
    cb = cb + by_q;
    if (!own) bc = cb, out.qv[c * nv + b] = by_v;
  }
  void of_j(int, const S&, const S&) const {}
  /// zt · (n, δN_q, δN_v) + Lt · (f, δF_q, δF_v), z' · s and z · s.
  void test(int b, const S& mass, const S& by_q, const S& by_v, const S& z1_s, const S& z_s) const {
    out.Mq[c * nv + b] = mass;
    out.qq[c * nv + b] = by_q;
    out.qv[b * nv + c] = by_v + twice(z1_s);
    velocities(b, z_s);
  }
  void velocities(int b, const S& z_s) const {
    S &bc = out.vv[b * nv + c], &cb = out.vv[c * nv + b];
    if (own)
      bc = bc + z_s, cb = cb + z_s;
    else
      bc = cb = twice(z_s);
  }
};

/// z^ = (w_y, −w_x, 0), L^ = (y_y, −y_x, 0).
template <class S>
[[gnu::always_inline]] inline void test_revolute(const ContractionRow<S>& row, int b, const BodyMoments<S>& x,
                                                 const MultiplierMotion<S>& t, const MultiplierColumn<S>& y) {
  const simd<S, 4> by = t.w[1] * y.force_column.moments[0] - t.w[0] * y.force_column.moments[1] +
                        t.v[1] * y.force_column.forces[0] - t.v[0] * y.force_column.forces[1];
  const Vec3<simd<S, 4>>& u = y.turning;
  row.test(b, t.w[1] * u[0][1] - t.w[0] * u[1][1] + t.v[1] * u[0][0] - t.v[0] * u[1][0], by[2], by[3],
           x.motion.w[1] * u[0][2] - x.motion.w[0] * u[1][2], u[2][2]);
}

template <class S>
void test_screw(const ContractionRow<S>& row, int b, const Motion<Constant<S>>& e, const Vec3<S>& z1,
                const MultiplierMotion<S>& t, const MultiplierColumn<S>& y) {
  const Vec3<S> zt = cross(t.carrier_w, e.w), L = cross(t.carrier_w, e.v) - cross(e.w, t.carrier_v), s = lane(y.turning, 2);
  const auto work = [&](const Vec3<S>& f, const Vec3<S>& n) { return dot(zt, n) + dot(L, f); };
  row.test(b, work(lane(y.turning, 0), lane(y.turning, 1)),
           work(lane(y.force_column.forces, 2), lane(y.force_column.moments, 2)),
           work(lane(y.force_column.forces, 3), lane(y.force_column.moments, 3)), dot(z1, s), dot(e.w, s));
}

/// A free body at the world, whose axes the world carries: z^ = L^ = z' = 0.
template <class S>
void test_free_base(const ContractionRow<S>& row, int b, const MultiplierColumn<S>& y) {
  for (int k = 0; k < 3; ++k) row.velocities(b + k, y.turning[k][2]);
}

template <class S>
[[gnu::always_inline]] inline void meet(const ContractionRow<S>& row, const Model& model, const ContractionWorkspace<S>& ws,
                                        int i, const MultiplierColumn<S>& y) {
  const Body& body = model.bodies[i];
  const BodyMoments<S>& x = ws.moments.bodies[i];
  if (body.joint == BodyJoint::revolute) {
    test_revolute(row, body.v, x, ws.test[i], y);
  } else if (body.joint == BodyJoint::floating && body.parent < 0) {
    test_free_base(row, body.v, y);
  } else {
    for (int k = 0; k < freedoms(body.joint); ++k) {
      const Motion<Constant<S>> e = cast<Constant<S>>(motion_subspace(body, k));
      test_screw(row, body.v + k, e, cross(has_fixed_axis(body.joint) ? x.motion.w : x.parent.w, e.w), ws.test[i], y);
    }
  }
  meet(row, body, x, ws.moments.screws.data(), vectors_of(y.force_column), false);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

}  // namespace sparsedyn
