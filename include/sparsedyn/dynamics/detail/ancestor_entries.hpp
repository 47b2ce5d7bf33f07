// Where the force column of one freedom meets the joints between it and the world: entries of the derivatives. Derivation:
// docs/derivatives.md.
#pragma once

#include <cstddef>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/joint_screws.hpp"

namespace sparsedyn {

/// Results, row-major, in the order of v. Null pointers are not allowed. Entries between joints of different branches are 0.
/// Columns with respect to q are on the tangent space: q ⊕ δ, perturbed on the right.
template <class S>
struct RneaDerivatives {
  S* tau;      // nv: inverse dynamics itself
  S* dtau_dq;  // nv × nv
  S* dtau_dv;  // nv × nv
  S* M;        // nv × nv: ∂τ/∂a, the joint-space inertia
};

namespace detail {
inline namespace SPARSEDYN_CODE {

inline bool is_free_base(const Body& body) { return body.joint == BodyJoint::floating && body.parent < 0; }

/// Entries of freedom i (index in v) with the freedoms of its own or an ancestor's joint. The meet_ functions below take any R
/// with these members.
template <class S>
struct Row {
  const RneaDerivatives<S>& out;
  int stride, i;
  void mass(int j, const S& value) const {
    if (out.M) out.M[i * stride + j] = out.M[j * stride + i] = value;
  }
  void of_i(int j, const S& by_q, const S& by_v) const { set(i * stride + j, by_q, by_v); }
  void of_j(int j, const S& by_q, const S& by_v) const { set(j * stride + i, by_q, by_v); }
  void set(int entry, const S& by_q, const S& by_v) const { out.dtau_dq[entry] = by_q, out.dtau_dv[entry] = by_v; }
};

/// Where a matrix holds entries of four freedoms i with a freedom j, a freedom a lane.
template <class S>
class FourRowsOf {
 public:
  FourRowsOf(int stride, const std::array<int, 4>& i)
      : stride_(stride), i_(i), neighbours_(i[1] == i[0] + 1 && i[2] == i[0] + 2 && i[3] == i[0] + 3) {
    for (int l = 0; l < 4; ++l) row_[l] = static_cast<std::ptrdiff_t>(i[l]) * stride;
  }
  /// Entries (i, j).
  void column(S* matrix, int j, const simd<S, 4>& values) const {
    for (int l = 0; l < 4; ++l) matrix[row_[l] + j] = values[l];
  }
  /// Entries (j, i).
  void row(S* matrix, int j, const simd<S, 4>& values) const {
    S* const to = matrix + static_cast<std::ptrdiff_t>(j) * stride_;
    if (neighbours_) return store(values, to + i_[0]);
    for (int l = 0; l < 4; ++l) to[i_[l]] = values[l];
  }
  /// Entries (i, j), (i, j + 1), … of six freedoms.
  void six_columns(S* matrix, int j, const Force<simd<S, 4>>& values) const {
    simd<S, 4> a = values.n[0], b = values.n[1], c = values.n[2], d = values.f[0];
    transpose(a, b, c, d);
    store(a, matrix + row_[0] + j), store(b, matrix + row_[1] + j);
    store(c, matrix + row_[2] + j), store(d, matrix + row_[3] + j);
    column(matrix, j + 4, values.f[1]), column(matrix, j + 5, values.f[2]);
  }
  /// Entries (j, i), (j + 1, i), … of six freedoms.
  void six_rows(S* matrix, int j, const Force<simd<S, 4>>& values) const {
    for (int c = 0; c < 3; ++c) row(matrix, j + c, values.n[c]), row(matrix, j + 3 + c, values.f[c]);
  }

 private:
  int stride_;
  const std::array<int, 4>& i_;
  bool neighbours_;
  std::ptrdiff_t row_[4];
};

/// The entries of Row, of four freedoms.
template <class S>
class FourRows {
 public:
  FourRows(const RneaDerivatives<S>& out, int stride, const std::array<int, 4>& i) : out_(out), at_(stride, i) {}
  void mass(int j, const simd<S, 4>& values) const {
    if (out_.M) at_.column(out_.M, j, values), at_.row(out_.M, j, values);
  }
  void of_i(int j, const simd<S, 4>& by_q, const simd<S, 4>& by_v) const {
    at_.column(out_.dtau_dq, j, by_q), at_.column(out_.dtau_dv, j, by_v);
  }
  void of_j(int j, const simd<S, 4>& by_q, const simd<S, 4>& by_v) const {
    at_.row(out_.dtau_dq, j, by_q), at_.row(out_.dtau_dv, j, by_v);
  }
  /// With six freedoms j, j + 1, …
  void mass_six(int j, const Force<simd<S, 4>>& values) const {
    if (out_.M) at_.six_columns(out_.M, j, values), at_.six_rows(out_.M, j, values);
  }
  void of_i_six(int j, const Force<simd<S, 4>>& by_q, const Force<simd<S, 4>>& by_v) const {
    at_.six_columns(out_.dtau_dq, j, by_q), at_.six_columns(out_.dtau_dv, j, by_v);
  }

 private:
  const RneaDerivatives<S>& out_;
  FourRowsOf<S> at_;
};

/// Entries of four freedoms with themselves.
template <class S>
struct FourDiagonals {
  const RneaDerivatives<S>& out;
  std::array<std::ptrdiff_t, 4> entry;
  void mass(int, const simd<S, 4>& values) const {
    if (out.M) set(out.M, values);
  }
  void of_i(int, const simd<S, 4>& by_q, const simd<S, 4>& by_v) const { set(out.dtau_dq, by_q), set(out.dtau_dv, by_v); }
  void of_j(int, const simd<S, 4>&, const simd<S, 4>&) const {}
  void set(S* matrix, const simd<S, 4>& values) const {
    for (int l = 0; l < 4; ++l) matrix[entry[l]] = values[l];
  }
};

/// M = n_z,  ∂τ_i/∂v_j = 2 (z' · n + k_z),  ∂τ_i/∂q_j = u · n + 2 z' · k + (a_y, −a_x, 0) · f.
template <class R, class X, class T>
[[gnu::always_inline]] inline void meet_revolute(const R& row, int j, const RevoluteMotion<X>& x,
                                                 const ForceColumnVectors<T>& y, bool ancestor) {
  const Vec3<T>&f = y.f, &n = y.n, &k = y.k;
  row.mass(j, n[2]);
  row.of_i(j, x.u[0] * n[0] + x.u[1] * n[1] + x.u[2] * n[2] + twice(x.wy * k[0] - x.wx * k[1]) + x.ay * f[0] - x.ax * f[1],
           twice(x.wy * n[0] - x.wx * n[1] + k[2]));
  if (ancestor) row.of_j(j, y.Nq[2], y.Nv[2]);
}

/// M = f_z,  ∂τ_i/∂v_j = 2 l' · f,  ∂τ_i/∂q_j = l'' · f.
template <class R, class S, class T>
[[gnu::always_inline]] inline void meet_prismatic(const R& row, int j, const BodyMoments<S>& x, const ForceColumnVectors<T>& y,
                                                  bool ancestor) {
  const Vec3<T>& f = y.f;
  row.mass(j, f[2]);
  row.of_i(j, x.motion.U(0, 2) * f[0] + x.motion.U(1, 2) * f[1] + x.motion.U(2, 2) * f[2],
           twice(x.motion.w[1] * f[0] - x.motion.w[0] * f[1]));
  if (ancestor) row.of_j(j, y.Fq[2], y.Fv[2]);
}

/// A free body at the world (ω_p = U_p = 0): M = (n, f),  ∂τ_i/∂v = (n × ω + 2 k + v × f, f × ω),  ∂τ_i/∂q = (f × a_c, 0).
template <class T>
struct FreeBaseEntries {
  Vec3<T> by_q, by_w, by_v;
};
template <class S, class T>
[[gnu::always_inline]] inline FreeBaseEntries<T> free_base_entries(const BodyMoments<S>& x, const ForceColumnVectors<T>& y) {
  return {cross(y.f, x.parent.a), cross(y.n, x.motion.w) + twice(y.k) + cross(x.v_joint, y.f), cross(y.f, x.motion.w)};
}
template <class R, class S>
[[gnu::always_inline]] inline void meet_free_base(const R& row, int j, const BodyMoments<S>& x, const ForceColumnVectors<S>& y,
                                                  bool ancestor) {
  const FreeBaseEntries<S> e = free_base_entries(x, y);
  for (int c = 0; c < 3; ++c) {
    row.mass(j + c, y.n[c]);
    row.mass(j + 3 + c, y.f[c]);
    row.of_i(j + c, e.by_q[c], e.by_w[c]);
    row.of_i(j + 3 + c, S(0.0), e.by_v[c]);
    if (!ancestor) continue;
    row.of_j(j + c, y.Nq[c], y.Nv[c]);
    row.of_j(j + 3 + c, y.Fq[c], y.Fv[c]);
  }
}
template <class S>
[[gnu::always_inline]] inline void meet_free_base(const FourRows<S>& rows, int j, const BodyMoments<S>& x,
                                                  const ForceColumnVectors<simd<S, 4>>& y, bool) {
  const FreeBaseEntries<simd<S, 4>> e = free_base_entries(x, y);
  const simd<S, 4> o(S(0.0));
  rows.of_i_six(j, {e.by_q, {{o, o, o}}}, {e.by_w, e.by_v});
  rows.mass_six(j, {y.n, y.f});
  for (int c = 0; c < 3; ++c) {
    rows.of_j(j + c, y.Nq[c], y.Nv[c]);
    rows.of_j(j + 3 + c, y.Fq[c], y.Fv[c]);
  }
}

/// M = z · n + l · f,  ∂τ_i/∂v_j = Zv · n + 2 z · k + Lv · f,  ∂τ_i/∂q_j = z'' · n + 2 z' · (k + v_J × f) + L2 · f.
template <class R, class S, class T>
[[gnu::always_inline]] inline void meet_screw(const R& row, int j, const BodyMoments<S>& x, const Screw<S>& e,
                                              const ForceColumnVectors<T>& y, bool ancestor) {
  const Vec3<T>&f = y.f, &n = y.n, &k = y.k;
  row.mass(j, dot(e.z, n) + dot(e.l, f));
  row.of_i(j, dot(e.z2, n) + twice(dot(e.z1, k + cross(x.v_joint, f))) + dot(e.L2, f),
           dot(e.Zv, n) + twice(dot(e.z, k)) + dot(e.Lv, f));
  if (ancestor) row.of_j(j, dot(e.z, y.Nq) + dot(e.l, y.Fq), dot(e.z, y.Nv) + dot(e.l, y.Fv));
}

template <class R, class S, class T>
void meet_screws(const R& row, const Body& body, const BodyMoments<S>& x, const Screw<S>* screws,
                 const ForceColumnVectors<T>& y, bool ancestor) {
  for (int c = 0; c < freedoms(body.joint); ++c) meet_screw(row, body.v + c, x, screws[body.v + c], y, ancestor);
}

template <class R, class S, class T>
[[gnu::always_inline]] inline void meet(const R& row, const Body& body, const BodyMoments<S>& x, const Screw<S>* screws,
                                        const ForceColumnVectors<T>& y, bool ancestor) {
  switch (body.joint) {
    case BodyJoint::revolute: return meet_revolute(row, body.v, revolute_motion_of(x), y, ancestor);
    case BodyJoint::prismatic: return meet_prismatic(row, body.v, x, y, ancestor);
    case BodyJoint::floating:
      if (is_free_base(body)) return meet_free_base(row, body.v, x, y, ancestor);
      break;
    default: break;
  }
  meet_screws(row, body, x, screws, y, ancestor);
}

/// The revolute freedoms of four bodies.
template <class S>
[[gnu::always_inline]] inline void start_revolute(const Model& model, MomentWorkspace<S>& ws, const std::array<int, 4>& bodies,
                                                  int stride, const RneaDerivatives<S>& out) {
  const RevoluteMoments<simd<S, 4>> x = revolute_moments(ws, bodies);
  const ForceColumnVectors<simd<S, 4>> y = revolute_column(x);
  FourDiagonals<S> diagonals{out, {}};
  ForceColumn<S> force_columns[4];
  separate(y, force_columns);
  for (int l = 0; l < 4; ++l) {
    const int freedom = model.bodies[bodies[l]].v;
    diagonals.entry[l] = static_cast<std::ptrdiff_t>(freedom) * (stride + 1);
    keep(force_columns[l], ws.force_columns[freedom]);
  }
  meet_revolute(diagonals, 0, x.motion, y, false);
}

/// Unit vector c × y.
template <class S>
Vec3<S> unit_cross(int c, const Vec3<S>& y) {
  Vec3<S> r = zero3<S>();
  r[(c + 1) % 3] = -y[(c + 2) % 3], r[(c + 2) % 3] = y[(c + 1) % 3];
  return r;
}

/// About and along axis c of a free body: f, n, k as in screw_column.
template <class S>
struct FreeBaseColumns {
  struct Sums {
    Vec3<S> f, n, k;
  } angular, linear;
};
template <class S>
FreeBaseColumns<S> free_base_columns(const BodyMoments<S>& x, SubtreeMass<S> m, int c) {
  const Vec3<S> h = x.h(), p = x.p();
  const SimdMemory<S, 4>*s = x.second, *g = x.rate;
  FreeBaseColumns<S> r{{unit_cross(c, h), {{-s[c][0], -s[c][1], -s[c][2]}}, {{-g[0][c], -g[1][c], -g[2][c]}}},
                       {zero3<S>(), -unit_cross(c, h), -unit_cross(c, p)}};
  r.angular.n[c] = s[0][0] + s[1][1] + s[2][2] + r.angular.n[c], r.angular.k[c] = g[0][0] + g[1][1] + g[2][2] + r.angular.k[c];
  r.linear.f[c] = S(m);
  return r;
}

/// The freedoms of a free body at the world, which has no ancestors to send anything to.
template <class S>
void start_free_base(const Body& body, const BodyMoments<S>& x, SubtreeMass<S> m, int stride, const RneaDerivatives<S>& out) {
  for (int c = 0; c < 3; ++c) {
    const FreeBaseColumns<S> y = free_base_columns(x, m, c);
    const auto start = [&](int i, const typename FreeBaseColumns<S>::Sums& sums) {
      ForceColumnVectors<S> column;
      column.f = sums.f, column.n = sums.n, column.k = sums.k;
      meet_free_base(Row<S>{out, stride, i}, body.v, x, column, false);
    };
    start(body.v + c, y.angular), start(body.v + 3 + c, y.linear);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
