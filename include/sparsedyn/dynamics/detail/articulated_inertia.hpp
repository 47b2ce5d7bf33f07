// The articulated-body inertia (Featherstone 2008, ch. 7) as its 21 numbers, in the blocks
//   n = A α + B a,   f = Bᵀ α + C a        (A, C symmetric)
#pragma once

#include <utility>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

template <class S>
struct ArticulatedInertia {
  Sym3<S> A;
  Mat3<S> B;
  Sym3<S> C;
};

inline namespace SPARSEDYN_CODE {

/// Of a rigid body: A = tr(Σ) 1 − Σ, B = [h]×, C = m 1.
template <class S, class K>
ArticulatedInertia<S> articulated(const Inertia<K>& I) {
  const S m(I.m), o(0.0);
  return {cast<S>(trace_minus(I.moments)), cast<S>(hat(I.h)), {m, o, o, m, o, m}};
}

template <class S>
Sym3<S> minus_outer(const Sym3<S>& s, const Vec3<S>& a, const Vec3<S>& b) {
  return {s.xx - a[0] * b[0], s.xy - a[0] * b[1], s.xz - a[0] * b[2],
          s.yy - a[1] * b[1], s.yz - a[1] * b[2], s.zz - a[2] * b[2]};
}

template <class S>
ArticulatedInertia<S> operator+(const ArticulatedInertia<S>& a, const ArticulatedInertia<S>& b) {
  return {a.A + b.A, a.B + b.B, a.C + b.C};
}

/// I − U g Uᵀ, where g U is given as `gU`.
template <class S>
ArticulatedInertia<S> minus_outer(const ArticulatedInertia<S>& I, const Force<S>& U, const Force<S>& gU) {
  ArticulatedInertia<S> r{minus_outer(I.A, gU.n, U.n), I.B, minus_outer(I.C, gU.f, U.f)};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r.B(i, k) = I.B(i, k) - gU.n[i] * U.f[k];
  return r;
}

/// An entry of the upper triangle, angular rows first.
template <int i, int k, class S>
S& entry(Sym3<S>& s) {
  static_assert(i <= k);
  if constexpr (i == 0)
    return k == 0 ? s.xx : k == 1 ? s.xy : s.xz;
  else if constexpr (i == 1)
    return k == 1 ? s.yy : s.yz;
  else
    return s.zz;
}
template <int i, int k, class S>
S& entry(ArticulatedInertia<S>& I) {
  if constexpr (k < 3)
    return entry<i, k>(I.A);
  else if constexpr (i < 3)
    return I.B(i, k - 3);
  else
    return entry<i - 3, k - 3>(I.C);
}

/// I ← I − U g Uᵀ in the rows and columns that are left: those of the axes in `gone`, as bits, stay.
template <unsigned gone, class S, int... at>
void subtract_outer(ArticulatedInertia<S>& I, const Force<S>& U, const Force<S>& gU, std::integer_sequence<int, at...>) {
  const auto one = [&](auto place) {
    constexpr int i = decltype(place)::value / 6, k = decltype(place)::value % 6;
    if constexpr (i <= k && !(gone >> i & 1u) && !(gone >> k & 1u))
      entry<i, k>(I) = entry<i, k>(I) - component(gU, i) * component(U, k);
  };
  (one(std::integral_constant<int, at>{}), ...);
}

/// What is left of I once a freedom along a coordinate axis is eliminated has nothing about that axis. The difference that says
/// so leaves rounding of the size of all that is carried, which may be more than the next body's own inertia.
template <class S>
void clear_axis(ArticulatedInertia<S>& I, int axis) {
  const S o(0.0);
  const auto clear = [&](Sym3<S>& s, int k) {
    if (k == 0) s.xx = s.xy = s.xz = o;
    if (k == 1) s.xy = s.yy = s.yz = o;
    if (k == 2) s.xz = s.yz = s.zz = o;
  };
  clear(axis < 3 ? I.A : I.C, axis % 3);
  for (int k = 0; k < 3; ++k) (axis < 3 ? I.B(axis, k) : I.B(k, axis - 3)) = o;
}

/// About a point from which the origin lies at d (same axes), with D = [d]×:
///   C' = C,   B' = B + D C,   A' = A − (B D + (B D)ᵀ) − D C D = A − B' D + D Bᵀ
template <class S>
ArticulatedInertia<S> shifted(const ArticulatedInertia<S>& I, const Vec3<S>& d) {
  const Mat3<S>& B = I.B;
  const Sym3<S>& C = I.C;
  Mat3<S> P;  // B'
  P(0, 0) = B(0, 0) + d[1] * C.xz - d[2] * C.xy;
  P(0, 1) = B(0, 1) + d[1] * C.yz - d[2] * C.yy;
  P(0, 2) = B(0, 2) + d[1] * C.zz - d[2] * C.yz;
  P(1, 0) = B(1, 0) + d[2] * C.xx - d[0] * C.xz;
  P(1, 1) = B(1, 1) + d[2] * C.xy - d[0] * C.yz;
  P(1, 2) = B(1, 2) + d[2] * C.xz - d[0] * C.zz;
  P(2, 0) = B(2, 0) + d[0] * C.xy - d[1] * C.xx;
  P(2, 1) = B(2, 1) + d[0] * C.yy - d[1] * C.xy;
  P(2, 2) = B(2, 2) + d[0] * C.yz - d[1] * C.xz;
  // (M D)_ik: row i of M crossed with d; (D Bᵀ)_ik = (d × row k of B)_i
  const auto entry = [&](int i, int k, int k1, int k2, int i1, int i2) {
    return P(i, k1) * d[k2] - P(i, k2) * d[k1] - d[i1] * B(k, i2) + d[i2] * B(k, i1);
  };
  const Sym3<S>& A = I.A;
  return {{A.xx - entry(0, 0, 1, 2, 1, 2), A.xy - entry(0, 1, 2, 0, 1, 2), A.xz - entry(0, 2, 0, 1, 1, 2),
           A.yy - entry(1, 1, 2, 0, 2, 0), A.yz - entry(1, 2, 0, 1, 2, 0), A.zz - entry(2, 2, 0, 1, 0, 1)},
          P,
          C};
}

template <class S>
ArticulatedInertia<S> to_parent(const Pose<S>& p, const ArticulatedInertia<S>& I) {
  const Mat3<S> RB = p.R * I.B;
  return shifted(ArticulatedInertia<S>{rotated(p.R, I.A), RB * transpose(p.R), rotated(p.R, I.C)}, p.d);
}

/// to_parent for what a freedom about z leaves of I, that is, where A z = 0 and Bᵀ z = 0: two rows less to turn.
template <class S>
ArticulatedInertia<S> to_parent_free_about_z(const Pose<S>& p, const ArticulatedInertia<S>& I) {
  const Mat3<S>& R = p.R;
  const Sym3<S>& A = I.A;
  Mat3<S> RB;  // R B, from the two rows of B
  S RA[3][2];  // R A, from the 2 × 2 block of A
  for (int i = 0; i < 3; ++i) {
    RA[i][0] = R(i, 0) * A.xx + R(i, 1) * A.xy;
    RA[i][1] = R(i, 0) * A.xy + R(i, 1) * A.yy;
    for (int k = 0; k < 3; ++k) RB(i, k) = R(i, 0) * I.B(0, k) + R(i, 1) * I.B(1, k);
  }
  const auto RARt = [&](int i, int k) { return RA[i][0] * R(k, 0) + RA[i][1] * R(k, 1); };
  const Sym3<S> turned{RARt(0, 0), RARt(0, 1), RARt(0, 2), RARt(1, 1), RARt(1, 2), RARt(2, 2)};
  return shifted(ArticulatedInertia<S>{turned, RB * transpose(R), rotated(R, I.C)}, p.d);
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
