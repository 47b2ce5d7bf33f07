// Second derivatives in one frame for all bodies: what a freedom and a pair of freedoms are there. All points are ρ from one
// fixed origin O, and a freedom's displacement is e = z × ρ + v, the same formula for revolute and prismatic joints. Nothing
// has to be carried from body to body, and to each freedom is done the same. Names as in docs/second-derivatives.md.
#pragma once

#include "minimal_second_entries.hpp"

namespace sparsedyn {

namespace detail {

/// c + a × b, c + A x and c − Aᵀ x as chains of products that are added, one operation each on most processors.
template <class S>
Vec3<S> plus_cross(const Vec3<S>& c, const Vec3<S>& a, const Vec3<S>& b) {
  return {{c[0] + a[1] * b[2] - a[2] * b[1], c[1] + a[2] * b[0] - a[0] * b[2], c[2] + a[0] * b[1] - a[1] * b[0]}};
}
template <class S>
Vec3<S> plus_product(const Vec3<S>& c, const Mat3<S>& A, const Vec3<S>& x) {
  Vec3<S> r;
  for (int i = 0; i < 3; ++i) r[i] = c[i] + A(i, 0) * x[0] + A(i, 1) * x[1] + A(i, 2) * x[2];
  return r;
}
template <class S>
Vec3<S> minus_transposed_product(const Vec3<S>& c, const Mat3<S>& A, const Vec3<S>& x) {
  Vec3<S> r;
  for (int i = 0; i < 3; ++i) r[i] = c[i] - A(0, i) * x[0] - A(1, i) * x[1] - A(2, i) * x[2];
  return r;
}
template <class S>
S plus_dot(const S& c, const Vec3<S>& a, const Vec3<S>& b) {
  return c + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace detail

/// A freedom's e = z × ρ + v, e' = z1 × ρ + z × ρ' + v1, e'' = z2 × ρ + 2 z1 × ρ' + z × ρ'' + v2. Of A = r'' − g instead of
/// ρ'', v2 has z × g too.
template <class S>
struct ScrewInTime {
  Vec3<S> z, v, z1, v1, z2, v2;
};

/// E − tr(E) 1, 2 t(H), f, 2 f', 2 κ, δF_q, δN_q.
template <class S>
struct OneFrameForceColumn {
  Mat3<S> E, H;
  Vec3<S> f, f1, kappa, dF, dN;
};

/// Of a rigid body that moves with ω, O' = V.v and α, A.v: inertia about O in its axes.
template <class S>
MinimalMoments<S> one_frame_moments(const Inertia<S>& I, const Motion<S>& V, const Motion<S>& A) {
  using detail::plus_cross;
  const Mat3<S> s = dense(I.moments);
  MinimalMoments<S> x{I.m, I.moments, {}, I.h, plus_cross(I.m * V.v, V.w, I.h), {}};
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> row = plus_cross(I.h[r] * V.v, V.w, Vec3<S>{{s(r, 0), s(r, 1), s(r, 2)}});
    for (int k = 0; k < 3; ++k) x.rate(r, k) = row[k];
  }
  const S trace = I.moments.xx + I.moments.yy + I.moments.zz, of_rate = x.rate(0, 0) + x.rate(1, 1) + x.rate(2, 2);
  const Vec3<S> n = plus_cross(trace * A.w, I.h, A.v);
  x.wrench.f = plus_cross(plus_cross(I.m * A.v, A.w, I.h), V.w, x.p);
  x.wrench.n = detail::minus_transposed_product(detail::minus_transposed_product(n + of_rate * V.w, s, A.w), x.rate, V.w);
  return x;
}

/// Of the mass below the joint.
template <class S>
OneFrameForceColumn<S> one_frame_force_column(const ScrewInTime<S>& j, const MinimalMoments<S>& x) {
  using detail::minus_transposed_product;
  using detail::plus_cross;
  using detail::twice;
  const Mat3<S> s = dense(x.second), G = x.rate;
  const Vec3<S> z2 = twice(j.z1);
  Mat3<S> E, H;
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> of_E = plus_cross(x.h[r] * j.v, j.z, Vec3<S>{{s(r, 0), s(r, 1), s(r, 2)}});
    const Vec3<S> of_H = plus_cross(x.p[r] * j.v, j.z, detail::column(G, r));
    for (int c = 0; c < 3; ++c) E(r, c) = of_E[c], H(r, c) = of_H[c];
  }
  for (int c = 0; c < 3; ++c) {
    Vec3<S> of_H = plus_cross(detail::column(H, c), j.z, Vec3<S>{{G(c, 0), G(c, 1), G(c, 2)}});
    of_H = plus_cross(of_H, j.z1, detail::column(s, c));
    for (int r = 0; r < 3; ++r) H(r, c) = of_H[r] + x.h[c] * j.v1[r];
  }
  const S trace = x.second.xx + x.second.yy + x.second.zz, of_rate = G(0, 0) + G(1, 1) + G(2, 2);
  const S of_E = E(0, 0) + E(1, 1) + E(2, 2);
  OneFrameForceColumn<S> y;
  for (int r = 0; r < 3; ++r) E(r, r) = E(r, r) - of_E;
  y.E = E;
  Vec3<S> kappa = plus_cross(of_rate * j.z, x.p, j.v);
  for (int r = 0; r < 3; ++r) kappa[r] = kappa[r] - G(r, 0) * j.z[0] - G(r, 1) * j.z[1] - G(r, 2) * j.z[2];
  y.kappa = twice(kappa);
  const Mat3<S> t = detail::trace_minus(H);
  y.H = t + t;
  y.f = plus_cross(x.m * j.v, j.z, x.h);
  y.f1 = twice(plus_cross(plus_cross(x.m * j.v1, j.z1, x.h), j.z, x.p));
  y.dF = plus_cross(plus_cross(plus_cross(x.m * j.v2, j.z2, x.h), z2, x.p), j.z, x.wrench.f);
  const Vec3<S> n = plus_cross(plus_cross(trace * j.z2 + of_rate * z2, j.z, x.wrench.n), x.h, j.v2);
  y.dN = minus_transposed_product(minus_transposed_product(plus_cross(n, j.v, x.wrench.f), s, j.z2), G, z2);
  return y;
}

/// ax(A), A − Aᵀ = [ax(A)]×.
template <class S>
Vec3<S> antisymmetric_part(const Mat3<S>& A) {
  return {{A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)}};
}

/// Of freedom j and the force column of a freedom k below it (or j itself); n = Σ m ρ × e = −ax(E), n' = κ − ax(t(H)).
template <class S>
MinimalPairForceColumn<S> one_frame_pair(const ScrewInTime<S>& j, const OneFrameForceColumn<S>& k) {
  using detail::plus_cross;
  using detail::plus_product;
  using detail::twice;
  const Vec3<S> zd = twice(j.z1), vd = twice(j.v1), vf = cross(j.v, k.f), vf1 = cross(j.v, k.f1);
  const Vec3<S> n = -antisymmetric_part(k.E), n1 = k.kappa - antisymmetric_part(k.H);
  MinimalPairForceColumn<S> y;
  y.F = cross(j.z, k.f);
  y.Y = plus_cross(vf, j.z, n);
  y.b2 = twice(plus_product(vf, k.E, j.z));
  y.F1 = plus_cross(cross(zd, k.f), j.z, k.f1);
  y.P = detail::minus_transposed_product(plus_cross(vf1, j.z, n1), k.E, zd);
  y.T = plus_product(plus_cross(cross(vd, k.f), j.z, k.kappa), k.E, zd);
  y.s = detail::minus_transposed_product(y.T + vf1, k.H, j.z);
  y.F2 = plus_cross(plus_cross(cross(j.z2, k.f), j.z1, k.f1), j.z, k.dF);
  const Vec3<S> W = plus_cross(plus_cross(cross(j.z, k.dN), j.v, k.dF), k.f, j.v2);
  Mat3<S> both;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) both(r, c) = k.E(r, c) + k.E(c, r);
  y.W = plus_product(detail::minus_transposed_product(W, both, j.z2), k.H, j.z1);
  return y;
}

/// Of freedom i above a pair.
template <class S>
detail::MinimalTriple<S> one_frame_triple(const ScrewInTime<S>& i, const MinimalPairForceColumn<S>& y) {
  using detail::plus_dot;
  const S Y = plus_dot(dot(i.v, y.F), i.z, y.Y), B2 = dot(i.z, y.b2), s = dot(i.z, y.s), kij = dot(i.z1, y.b2);
  const S ijk = plus_dot(dot(i.v, y.F1), i.z, y.P), half = plus_dot(dot(i.z1, y.Y), i.v1, y.F);
  const S kji = plus_dot(half + half, i.z, y.T), qq_i = plus_dot(dot(i.v, y.F2), i.z, y.W);
  const S qq_k = plus_dot(plus_dot(dot(i.z2, y.Y), i.z1, y.T), i.v2, y.F), by_b = plus_dot(dot(i.z2, y.b2), i.z1, y.s);
  return {Y, Y + Y - B2, B2, ijk, ijk - s, kij, kji, kji - (kij + kij) - s, qq_i, qq_k, qq_k - by_b};
}

}  // namespace sparsedyn
