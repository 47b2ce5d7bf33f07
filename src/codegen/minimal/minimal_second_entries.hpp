// Entries of the second derivatives of inverse dynamics that a force column gives at a body of a MinimalTree, put into dense
// tensors.
#pragma once

#include "minimal_second_columns.hpp"
#include "sparsedyn/dynamics/detail/second_order/second_derivatives.hpp"

namespace sparsedyn {

namespace detail {

/// Writes entries of three freedoms into the tensors: [a,b,c] and, where symmetry makes it equal, its mirror image.
template <class S>
struct MinimalTensors {
  const DenseSecondDerivatives<S>& out;
  int n;
  int at(int a, int b, int c) const { return (a * n + b) * n + c; }
  void both(S* tensor, int a, int b, int c, const S& x) const { tensor[at(a, b, c)] = tensor[at(a, c, b)] = x; }
  void mass(int a, int b, int c, const S& x) const { out.Mq[at(a, b, c)] = out.Mq[at(b, a, c)] = x; }
};

/// Numbers of a triple with i above or equal to j, and j above or equal to k. C2 = 2 C and B2 = 2 B are entries of vv, and
/// C = Y − B. The others are named after the entries that they are.
template <class S>
struct MinimalTriple {
  S Y, C2, B2, qv_ijk, qv_ikj, qv_kij, qv_kji, qv_jki, qq_i, qq_k, qq_j;
};

template <class S>
void put(const MinimalTensors<S>& T, int i, int j, int k, const MinimalTriple<S>& x) {
  T.mass(i, j, k, x.Y - x.B2);
  T.mass(i, k, j, x.Y);
  T.both(T.out.vv, j, i, k, -x.B2);
  T.both(T.out.vv, k, i, j, x.B2);
  T.both(T.out.vv, i, j, k, x.C2);
  T.out.qv[T.at(j, k, i)] = x.qv_jki, T.out.qv[T.at(k, j, i)] = x.qv_kji;
  T.out.qv[T.at(j, i, k)] = -x.qv_kij, T.out.qv[T.at(k, i, j)] = x.qv_kij;
  T.out.qv[T.at(i, k, j)] = x.qv_ikj, T.out.qv[T.at(i, j, k)] = x.qv_ijk;
  T.both(T.out.qq, j, i, k, x.qq_j), T.both(T.out.qq, k, i, j, x.qq_k), T.both(T.out.qq, i, j, k, x.qq_i);
}

template <class S>
MinimalTriple<S> at_revolute(const BodyMotion<S>& m, const MinimalPairForceColumn<S>& y) {
  const Vec3<S> zd = axis_rate(m), zd2 = twice(zd), u = column(m.U, 2), za = ez_cross(m.a);
  const S q = zd[0] * y.b2[0] + zd[1] * y.b2[1], kji = zd2[0] * y.Y[0] + zd2[1] * y.Y[1] + y.T[2];
  const S qq_k = dot(u, y.Y) + zd[0] * y.T[0] + zd[1] * y.T[1] - (za[0] * y.F[0] + za[1] * y.F[1]);
  return {y.Y[2],
          y.Y[2] + y.Y[2] - y.b2[2],
          y.b2[2],
          y.P[2],
          y.P[2] - y.s[2],
          q,
          kji,
          kji - (q + q) - y.s[2],
          y.W[2],
          qq_k,
          qq_k - dot(u, y.b2) - (zd[0] * y.s[0] + zd[1] * y.s[1])};
}

template <class S>
MinimalTriple<S> at_prismatic(const BodyMotion<S>& m, const MinimalPairForceColumn<S>& y) {
  const Vec3<S> zd2 = twice(axis_rate(m)), &F = y.F;
  const S o(0.0), by_v = zd2[0] * F[0] + zd2[1] * F[1], by_q = dot(column(m.U, 2), F);
  return {F[2], F[2] + F[2], o, y.F1[2], y.F1[2], o, by_v, by_v, y.F2[2], by_q, by_q};
}

/// The free base as i: its axes are carried by the world (z' = z'' = 0), where a body at its place feels −g, `lift`.
template <class S>
void put_at_base(const MinimalTensors<S>& T, int i, int j, int k, const Vec3<S>& w, const Vec3<S>& v, const Vec3<S>& lift,
                 const MinimalPairForceColumn<S>& y) {
  const S o(0.0);
  const Vec3<S> by_q = cross(y.F, lift), by_v = cross(y.F, w), kji = cross(y.Y, w) + cross(v, y.F) + y.T;
  const Vec3<S> jki = kji - cross(y.b2, w) - y.s;
  for (int c = 0; c < 3; ++c) {
    put(T, i + c, j, k,
        {y.Y[c], y.Y[c] + y.Y[c] - y.b2[c], y.b2[c], y.P[c], y.P[c] - y.s[c], o, kji[c], jki[c], y.W[c], by_q[c], by_q[c]});
    put(T, i + 3 + c, j, k, {y.F[c], y.F[c] + y.F[c], o, y.F1[c], y.F1[c], o, by_v[c], by_v[c], y.F2[c], o, o});
  }
}

/// Two freedoms of the free base (r turns, t shifts) and k, whose force column has come to the base.
template <class S>
void put_base_twice(const MinimalTensors<S>& T, int r, int k, const Vec3<S>& w, const Vec3<S>& v, const Vec3<S>& lift,
                    const MinimalSecondOrderColumn<S>& x) {
  const Mat3<S> D = trace_minus(x.E), A = D + transpose(D), X = hat(x.f), XW = X * hat(w), f1 = hat(twice(x.f1));
  const Mat3<S> H2 = trace_minus(x.H), turn = A * hat(w) + H2 + H2 - X * hat(v);
  const S along = dot(x.f, lift);
  const int t = r + 3;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      T.out.Mq[T.at(r + a, r + b, k)] = A(a, b);
      T.mass(r + a, t + b, k, X(a, b));
      T.out.vv[T.at(k, r + a, r + b)] = -A(a, b);
      T.both(T.out.vv, k, r + a, t + b, -X(a, b));
      T.both(T.out.vv, r + a, r + b, k, D(b, a) + D(b, a));
      T.both(T.out.vv, t + a, r + b, k, -(X(a, b) + X(a, b)));
      const S fall = lift[a] * x.f[b] - (a == b ? along : S(0.0));
      T.both(T.out.qq, r + a, r + b, k, fall);
      T.out.qq[T.at(k, r + a, r + b)] = fall;
      T.out.qv[T.at(r + a, k, r + b)] = turn(a, b);
      T.out.qv[T.at(r + a, k, t + b)] = XW(a, b);
      T.out.qv[T.at(t + a, k, r + b)] = -XW(a, b) - f1(a, b);
    }
}

/// Three freedoms of the free base.
template <class S>
void put_base_alone(const MinimalTensors<S>& T, int r, const Vec3<S>& lift, const MinimalMoments<S>& x) {
  const Mat3<S> one = identity3<S>();
  const int t = r + 3;
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 3; ++c) {
      const Vec3<S> zb = column(one, b), zc = column(one, c), fall = cross(zb, cross(zc, lift));
      const Vec3<S> turn = cross(x.h, fall), turns = cross(x.second * zb, zc) + cross(x.second * zc, zb);
      const Vec3<S> shifts = cross(zb, cross(zc, x.h)) + cross(zc, cross(zb, x.h)), both = cross(zb, zc),
                    turn_shift = cross(x.h, both);
      for (int a = 0; a < 3; ++a) {
        T.out.qq[T.at(r + a, r + b, r + c)] = turn[a], T.out.qq[T.at(t + a, r + b, r + c)] = x.m * fall[a];
        T.out.vv[T.at(r + a, r + b, r + c)] = turns[a], T.out.vv[T.at(t + a, r + b, r + c)] = shifts[a];
        T.both(T.out.vv, r + a, r + b, t + c, turn_shift[a]);
        T.both(T.out.vv, t + a, r + b, t + c, x.m * both[a]);
      }
    }
}

}  // namespace detail

}  // namespace sparsedyn
