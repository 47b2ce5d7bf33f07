// What a freedom of the Coriolis matrix sends towards the base, and the entries of C and M that it meets on its way. The sums
// are named in dynamics/coriolis.hpp.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/ancestor_entries.hpp"

namespace sparsedyn {

/// Results, row by row in the order of v, all entries written: 0 between joints of different branches.
template <class S>
struct CoriolisMatrices {
  S* C;  // nv × nv
  S* M;  // nv × nv, symmetric: the joint-space inertia
};

/// All mass m below a joint, in the axes of its body and about the body's origin: ρ a point's position, ρ' its rate.
template <class S>
struct CoriolisMoments {
  Vec3<S> w;       // angular velocity ω of the body
  S m;             // kg
  Vec3<S> h, p;    // Σ m ρ, Σ m ρ'
  Sym3<S> second;  // Σ m ρρᵀ
  Mat3<S> G;       // Σ m ρρ'ᵀ
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// What freedom i sends towards the base: (f, n) its column of M, k = Σ ρ' × m e, and the wrench (F, N) = Σ m e'. Of one
/// freedom (T = S) or of four (T = simd<S, 4>).
template <class T>
struct CoriolisColumn {
  Vec3<T> f, n, k, F, N;
};

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
/// About z = e_z, so that z' = (ω_y, −ω_x, 0): half of what a velocity adds (revolute_column), as the joint's axis is fixed in
/// both bodies.
template <class T>
[[gnu::always_inline]] inline CoriolisColumn<T> coriolis_column_about_z(const RevoluteMoments<T>& x) {
  const Vec3<T>&h = x.h, *s = x.second, *g = x.rate;
  const T &wx = x.motion.wx, &wy = x.motion.wy, trace = g[0][0] + g[1][1];
  const T xx = s[1][1] + s[2][2], yy = s[0][0] + s[2][2];
  const Vec3<T> z1_h{{-(wx * h[2]), -(wy * h[2]), wy * h[1] + wx * h[0]}};
  const Vec3<T> Iz1{{xx * wy + s[0][1] * wx, -(yy * wx + s[0][1] * wy), s[1][2] * wx - s[0][2] * wy}};
  return {ez_cross(h),
          {{-s[0][2], -s[1][2], s[0][0] + s[1][1]}},
          {{-g[0][2], -g[1][2], trace}},
          z1_h + ez_cross(x.p),
          Iz1 + Vec3<T>{{-g[2][0], -g[2][1], trace}}};
}

/// The same sums as they are carried: F, N in the third lane, nothing in the fourth.
template <class S>
[[gnu::always_inline]] inline ForceColumn<S> force_column_of(const CoriolisColumn<S>& y) {
  return packed(ForceColumnVectors<S>{y.f, y.n, y.k, y.F, y.N, zero3<S>(), zero3<S>()});
}
template <class T>
[[gnu::always_inline]] inline CoriolisColumn<T> coriolis_part(const ForceColumnVectors<T>& y) {
  return {y.f, y.n, y.k, y.Fq, y.Nq};
}

/// Four columns carried one frame towards the base, in place.
template <class S>
[[gnu::always_inline]] inline void carry(const BodyMoments<S>& x, CoriolisColumn<simd<S, 4>>& y) {
  const Mat3<S>& R = x.pose.R;
  y.f = R * y.f;
  y.n = R * y.n + cross(x.pose.d, y.f);
  y.k = R * y.k + cross(x.w, y.f);
  y.F = R * y.F;
  y.N = R * y.N + cross(x.pose.d, y.F);
}

/// Entries of freedom i (index in v) with those of its own or an ancestor's joint.
template <class S>
struct CoriolisRow {
  const CoriolisMatrices<S>& out;
  int nv, i;
  void mass(int j, const S& value) const { out.M[i * nv + j] = out.M[j * nv + i] = value; }
  void of_i(int j, const S& value) const { out.C[i * nv + j] = value; }
  void of_j(int j, const S& value) const { out.C[j * nv + i] = value; }
};

/// The same of four freedoms.
template <class S>
class CoriolisRows {
 public:
  CoriolisRows(const CoriolisMatrices<S>& out, int nv, const std::array<int, 4>& i) : out_(out), nv_(nv), i_(i), at_(nv, i) {}
  void mass(int j, const simd<S, 4>& x) const { at_.column(out_.M, j, x), at_.row(out_.M, j, x); }
  void of_i(int j, const simd<S, 4>& x) const { at_.column(out_.C, j, x); }
  void of_j(int j, const simd<S, 4>& x) const { at_.row(out_.C, j, x); }
  void mass_six(int j, const Force<simd<S, 4>>& x) const { at_.six_columns(out_.M, j, x), at_.six_rows(out_.M, j, x); }
  void of_i_six(int j, const Force<simd<S, 4>>& x) const { at_.six_columns(out_.C, j, x); }
  void of_j_six(int j, const Force<simd<S, 4>>& x) const { at_.six_rows(out_.C, j, x); }
  CoriolisRow<S> alone(int l) const { return {out_, nv_, i_[l]}; }

 private:
  const CoriolisMatrices<S>& out_;
  int nv_;
  const std::array<int, 4>& i_;
  FourRowsOf<S> at_;
};

/// Entries of four freedoms with themselves.
template <class S>
struct CoriolisDiagonals {
  const CoriolisMatrices<S>& out;
  std::array<std::ptrdiff_t, 4> entry;
  void mass(int, const simd<S, 4>& x) const { set(out.M, x); }
  void of_i(int, const simd<S, 4>& x) const { set(out.C, x); }
  void of_j(int, const simd<S, 4>&) const {}
  void set(S* matrix, const simd<S, 4>& x) const {
    for (int l = 0; l < 4; ++l) matrix[entry[l]] = x[l];
  }
};

/// Of freedom i and a joint (z, l) whose body turns with ω:
///   M_ij = z · n + l · f    C_ij = z' · n + z · k + l' · f = z · (n × ω + k) + l · (f × ω)    C_ji = z · N + l · F
template <class R, class X, class T>
[[gnu::always_inline]] inline void meet_about_z(const R& row, int j, const X& wx, const X& wy, const CoriolisColumn<T>& y,
                                                bool ancestor) {
  row.mass(j, y.n[2]);
  row.of_i(j, wy * y.n[0] - wx * y.n[1] + y.k[2]);
  if (ancestor) row.of_j(j, y.N[2]);
}
template <class S>
void meet_any(const CoriolisRow<S>& row, const Body& body, const Vec3<S>& w, const CoriolisColumn<S>& y, bool ancestor) {
  S of_i[6], mass[6], of_j[6];
  force_on_freedoms(body, Force<S>{cross(y.n, w) + y.k, cross(y.f, w)}, of_i);
  force_on_freedoms(body, Force<S>{y.n, y.f}, mass);
  force_on_freedoms(body, Force<S>{y.N, y.F}, of_j);
  for (int c = 0; c < freedoms(body.joint); ++c) {
    row.mass(body.v + c, mass[c]);
    row.of_i(body.v + c, of_i[c]);
    if (ancestor) row.of_j(body.v + c, of_j[c]);
  }
}
template <class S>
void meet_any(const CoriolisRows<S>& rows, const Body& body, const Vec3<S>& w, const CoriolisColumn<simd<S, 4>>& y, bool) {
  if (body.joint == BodyJoint::floating) {
    rows.mass_six(body.v, {y.n, y.f});
    rows.of_i_six(body.v, {cross(y.n, w) + y.k, cross(y.f, w)});
    return rows.of_j_six(body.v, {y.N, y.F});
  }
  for (int l = 0; l < 4; ++l)
    meet_any(rows.alone(l), body, w, CoriolisColumn<S>{lane(y.f, l), lane(y.n, l), lane(y.k, l), lane(y.F, l), lane(y.N, l)},
             true);
}
template <class R, class S, class T>
[[gnu::always_inline]] inline void meet(const R& row, const Body& body, const Vec3<S>& w, const CoriolisColumn<T>& y,
                                        bool ancestor) {
  if (body.joint == BodyJoint::revolute) return meet_about_z(row, body.v, w[0], w[1], y, ancestor);
  meet_any(row, body, w, y, ancestor);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
