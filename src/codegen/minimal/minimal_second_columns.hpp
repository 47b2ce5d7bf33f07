// Second derivatives on a MinimalTree: what one freedom and a pair of freedoms of revolute and prismatic joints send towards
// the base. Here the pair travels, which takes fewer operations where placements have many zeros than bringing every screw down
// to the pair, as dynamics/second_derivatives.hpp does. Names as in docs/second-derivatives.md; factors 2 stand where they cost
// nothing.
#pragma once

#include "minimal_derivatives.hpp"

namespace sparsedyn {

/// E = Σ m ρ eᵀ, H = Σ m (ρ' eᵀ + e' ρᵀ), f = Σ m e, f1 = Σ m e', κ = Σ m ρ' × e, δF_q, δN_q.
template <class S>
struct MinimalSecondOrderColumn {
  Mat3<S> E, H;
  Vec3<S> f, f1, kappa, dF, dN;
};

/// Of a pair (j, k): F, Y = N + b, 2 b, 2 F', 2 P, 2 T, s = 2 (T − R), F'', W.
template <class S>
struct MinimalPairForceColumn {
  Vec3<S> F, Y, b2, F1, P, T, s, F2, W;
};

namespace detail {

template <class S>
Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  Mat3<S> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = a[i] * b[k];
  return r;
}
/// tr(A) 1 − A.
template <class S>
Mat3<S> trace_minus(const Mat3<S>& A) {
  return {{{A(1, 1) + A(2, 2), -A(0, 1), -A(0, 2)},
           {-A(1, 0), A(0, 0) + A(2, 2), -A(1, 2)},
           {-A(2, 0), -A(2, 1), A(0, 0) + A(1, 1)}}};
}

/// z' = ω × e_z; z'' = U e_z.
template <class S>
Vec3<S> axis_rate(const BodyMotion<S>& m) {
  return {{m.w[1], -m.w[0], S(0.0)}};
}

template <class S>
MinimalSecondOrderColumn<S> minimal_revolute_column(const BodyMotion<S>& m, const MinimalMoments<S>& x) {
  const Mat3<S> s = dense(x.second), Gt = transpose(x.rate), D = trace_minus(x.rate);
  const Vec3<S> zd = axis_rate(m), u = column(m.U, 2);
  const S o(0.0);
  Mat3<S> E, H = hat(zd) * s;
  for (int r = 0; r < 3; ++r) {
    E(r, 0) = -s(r, 1), E(r, 1) = s(r, 0), E(r, 2) = o;
    H(r, 0) = H(r, 0) - Gt(r, 1), H(r, 1) = H(r, 1) + Gt(r, 0);
  }
  for (int c = 0; c < 3; ++c) H(0, c) = H(0, c) - Gt(1, c), H(1, c) = H(1, c) + Gt(0, c);
  return {E,
          H,
          ez_cross(x.h),
          cross(zd, x.h) + ez_cross(x.p),
          column(D, 2),
          cross(u, x.h) + cross(twice(zd), x.p) + ez_cross(x.wrench.f - x.m * m.a),
          trace_minus(x.second) * u + transposed_times(D, twice(zd)) + ez_cross(x.wrench.n) - cross(x.h, ez_cross(m.a))};
}

template <class S>
MinimalSecondOrderColumn<S> minimal_prismatic_column(const BodyMotion<S>& m, const MinimalMoments<S>& x) {
  const Vec3<S> zd = axis_rate(m), u = column(m.U, 2), ez{{S(0.0), S(0.0), S(1.0)}};
  return {outer(x.h, ez), outer(zd, x.h) + outer(x.p, ez),     x.m * ez, x.m * zd, -ez_cross(x.p),
          x.m * u,        cross(x.h, u) + ez_cross(x.wrench.f)};
}

template <class S>
MinimalPairForceColumn<S> minimal_revolute_pair(const BodyMotion<S>& m, const MinimalSecondOrderColumn<S>& x) {
  const Mat3<S>&E = x.E, &H = x.H;
  const Vec3<S> zd2 = twice(axis_rate(m)), u = column(m.U, 2);
  const S o(0.0), t = E(0, 0) + E(1, 1), th = H(0, 0) + H(1, 1);
  const Vec3<S> tz = (t + E(2, 2)) * zd2;
  const Vec3<S> n1{{x.kappa[0] - (H(1, 2) - H(2, 1)), x.kappa[1] - (H(2, 0) - H(0, 2)), o}};
  const Mat3<S> D = trace_minus(E);
  const Vec3<S> T = E * zd2 - tz + ez_cross(twice(x.kappa)), R{{-twice(H(2, 0)), -twice(H(2, 1)), twice(th)}};
  return {ez_cross(x.f),
          ez_cross(Vec3<S>{{E(1, 2) - E(2, 1), E(2, 0) - E(0, 2), o}}),
          {{twice(E(0, 2)), twice(E(1, 2)), -twice(t)}},
          cross(zd2, x.f) + ez_cross(twice(x.f1)),
          tz - transposed_times(E, zd2) + ez_cross(twice(n1)),
          T,
          T - R,
          cross(u, x.f) + cross(zd2, x.f1) + ez_cross(x.dF),
          ez_cross(x.dN) + (D + transpose(D)) * u + trace_minus(H) * zd2 - cross(x.f, ez_cross(m.a))};
}

template <class S>
MinimalPairForceColumn<S> minimal_prismatic_pair(const BodyMotion<S>& m, const MinimalSecondOrderColumn<S>& x) {
  const Vec3<S> o = zero3<S>(), b = ez_cross(x.f), P = ez_cross(twice(x.f1)), T = cross(twice(axis_rate(m)), x.f);
  return {o, b, twice(b), o, P, T, T + P, o, ez_cross(x.dF) + cross(x.f, column(m.U, 2))};
}

}  // namespace detail

/// To the parent: d and w are the shift and its rate.
template <class S>
MinimalSecondOrderColumn<S> minimal_to_parent(const MinimalPose<S>& x, const Vec3<S>& w, const MinimalSecondOrderColumn<S>& y) {
  const auto turned = [&](const Vec3<S>& u) { return turn_z(x.turn, u); };
  const auto up = [&](const Vec3<S>& u) { return from_joint(x, u); };
  const Vec3<S> f = turned(y.f), f1 = turned(y.f1), dF = turned(y.dF);
  const Mat3<S> E = turn_z(x.turn, y.E) + detail::outer(x.shift, f);
  const Mat3<S> H = turn_z(x.turn, y.H) + detail::outer(w, f) + detail::outer(f1, x.shift);
  return {block_from_joint(x, E),
          block_from_joint(x, H),
          up(f),
          up(f1),
          up(turned(y.kappa) + cross(w, f)),
          up(dF),
          up(turned(y.dN) + cross(x.shift, dF))};
}

template <class S>
MinimalPairForceColumn<S> minimal_to_parent(const MinimalPose<S>& x, const Vec3<S>& w, const MinimalPairForceColumn<S>& y) {
  const auto turned = [&](const Vec3<S>& u) { return turn_z(x.turn, u); };
  const auto up = [&](const Vec3<S>& u) { return from_joint(x, u); };
  const Vec3<S> F = turned(y.F), F1 = turned(y.F1), F2 = turned(y.F2), &d = x.shift;
  return {up(F),
          up(turned(y.Y) + cross(d, F)),
          up(turned(y.b2)),
          up(F1),
          up(turned(y.P) + cross(d, F1)),
          up(turned(y.T) + cross(detail::twice(w), F)),
          up(turned(y.s)),
          up(F2),
          up(turned(y.W) + cross(d, F2))};
}

}  // namespace sparsedyn
