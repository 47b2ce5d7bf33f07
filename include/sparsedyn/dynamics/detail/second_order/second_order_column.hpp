// What the deepest of three freedoms sends towards the base: first and second moments of its displacement e.
// Equations and names as in docs/second-derivatives.md; t(X) = tr(X) 1 − X.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/second_order/second_screws.hpp"

namespace sparsedyn {

inline namespace SPARSEDYN_CODE {

/// Sums over the mass below freedom k: E = Σ m ρ eᵀ, κ = Σ m ρ' × e, f = Σ m e, δF_q, δN_q; with the rates e' that the parent
/// gives it H = Σ m (ρ' eᵀ + e' ρᵀ), f1 = Σ m e'; with the mean rates of parent and child n1v = Σ m ρ × e'^v and f1v.
/// L: S for one freedom, simd<S, 4> for four of neighbouring places.
template <class L>
struct SecondOrderColumn {
  Mat3<L> E, H;
  Vec3<L> kappa, f, f1, dF, dN, n1v, f1v;
};

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Σ a × b for A = Σ a bᵀ.
template <class L>
Vec3<L> axial(const Mat3<L>& A) {
  return {{A(1, 2) - A(2, 1), A(2, 0) - A(0, 2), A(0, 1) - A(1, 0)}};
}
/// Σ m ρ × e'
template <class L>
Vec3<L> rate_moment(const SecondOrderColumn<L>& x) {
  return x.kappa - axial(x.H);
}
/// Where both rates are the same.
template <class L>
void set_means(SecondOrderColumn<L>& x) {
  x.n1v = rate_moment(x), x.f1v = x.f1;
}

template <class S>
Mat3<S> matrix(const SimdMemory<S, 4>* rows) {
  Mat3<S> A;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) A(r, c) = rows[r][c];
  return A;
}
template <class A, class B>
Mat3<Product<A, B>> outer(const Vec3<A>& a, const Vec3<B>& b) {
  Mat3<Product<A, B>> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = a[i] * b[k];
  return r;
}

/// About e_z: e = (−ρ_y, ρ_x, 0), z' = (z'_x, z'_y, 0).
template <class S>
void revolute_second_order_column(const BodyMoments<S>& x, const SecondScrew<S>& e, SubtreeMass<S> m, SecondOrderColumn<S>& y) {
  const SimdMemory<S, 4>*s = x.second, *g = x.rate;
  const S o(0.0), &a = e.z1[0], &b = e.z1[1];
  for (int r = 0; r < 3; ++r) {  // z' × Σ + G Zᵀ + (G Zᵀ)ᵀ of ρ' and e'
    y.E(r, 0) = -s[r][1], y.E(r, 1) = s[r][0], y.E(r, 2) = o;
    y.H(0, r) = b * s[2][r] - g[r][1], y.H(1, r) = g[r][0] - a * s[2][r], y.H(2, r) = a * s[1][r] - b * s[0][r];
  }
  for (int r = 0; r < 3; ++r) y.H(r, 0) = y.H(r, 0) - g[1][r], y.H(r, 1) = y.H(r, 1) + g[0][r];
  y.kappa = {{-g[0][2], -g[1][2], g[0][0] + g[1][1]}};
  y.f = ez_cross(x.h());
  y.f1 = cross(e.z1, x.h()) + ez_cross(x.p());
  const ForceColumnVectors<S> first = revolute_column(revolute_moments(x, m));
  y.dF = first.Fq, y.dN = first.Nq;
}

template <class S>
void screw_second_order_column(const BodyMoments<S>& x, const Vec3<S>& v_joint, const SecondScrew<S>& e, SubtreeMass<S> m,
                               SecondOrderColumn<S>& y) {
  const Vec3<S> h = x.h(), F = x.F(), p = x.p() + m * v_joint, zp = cross(e.z, p);
  const Mat3<S> second = matrix(x.second), G = matrix(x.rate) + outer(h, v_joint);  // rates from c
  const Mat3<S> Gt = transpose(G);
  const auto trace_minus = [](const Mat3<S>& A, const Vec3<S>& u) { return (A(0, 0) + A(1, 1) + A(2, 2)) * u - A * u; };
  const auto rates = [&](const Vec3<S>& z1, const Vec3<S>& l1) {
    return Gt * transpose(hat(e.z)) + hat(e.z) * Gt + hat(z1) * second + outer(p, e.l) + outer(l1, h);
  };
  y.E = second * transpose(hat(e.z)) + outer(h, e.l);
  y.kappa = trace_minus(G, e.z) + cross(p, e.l);
  y.H = rates(e.z1, e.l1);
  y.f = cross(e.z, h) + m * e.l;
  y.f1 = cross(e.z1, h) + zp + m * e.l1;
  y.dF = cross(e.z2, h) + twice(cross(e.z1, p)) + cross(e.z, F) + m * e.L2;
  y.dN = inertia_times(x.second, e.z2) + twice(trace_minus(Gt, e.z1)) + cross(e.z, x.N()) + cross(h, e.L2) + cross(e.l, F);
  y.n1v = y.kappa - axial(rates(e.zv, e.lv));
  y.f1v = cross(e.zv, h) + zp + m * e.lv;
}

/// e = l everywhere.
template <class S>
void shift_second_order_column(const BodyMoments<S>& x, const Vec3<S>& v_joint, const SecondScrew<S>& e, SubtreeMass<S> m,
                               SecondOrderColumn<S>& y) {
  const Vec3<S> h = x.h(), p = x.p() + m * v_joint;
  y.E = outer(h, e.l);
  y.H = outer(p, e.l) + outer(e.l1, h);
  y.kappa = cross(p, e.l);
  y.f = m * e.l, y.f1 = m * e.l1, y.dF = m * e.L2;
  y.dN = cross(h, e.L2) + cross(e.l, x.F());
  y.n1v = cross(h, e.lv), y.f1v = m * e.lv;
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// The force column of freedom c of a body in its own frame; m: mass below the joint.
template <class S>
SecondOrderColumn<S> second_order_column(const Body& body, int c, const BodyMoments<S>& x, const SecondFrame<S>& frame,
                                         const SecondScrew<S>& e, SubtreeMass<S> m) {
  SecondOrderColumn<S> y;
  if (body.joint == BodyJoint::revolute)
    detail::revolute_second_order_column(x, e, m, y), detail::set_means(y);
  else if (is_shift(body.joint, c))
    detail::shift_second_order_column(x, frame.v_joint, e, m, y);
  else
    detail::screw_second_order_column(x, frame.v_joint, e, m, y);
  return y;
}

/// To the parent's axes and origin, rates from the parent's point c. means: n1v and f1v too.
template <class S>
void leave(const Pose<S>& pose, const Vec3<S>& w, bool means, SecondOrderColumn<simd<S, 4>>& x) {
  using detail::outer;
  const Mat3<S>&R = pose.R, Rt = transpose(R);
  const Vec3<S>& d = pose.d;
  x.f = R * x.f, x.f1 = R * x.f1, x.dF = R * x.dF;
  x.dN = R * x.dN + cross(d, x.dF);
  x.kappa = R * x.kappa + cross(w, x.f);
  x.E = R * x.E * Rt + outer(d, x.f);
  x.H = R * x.H * Rt + outer(w, x.f) + outer(x.f1, d);
  if (!means) return;
  x.f1v = R * x.f1v;
  x.n1v = R * x.n1v + cross(d, x.f1v);
}

}  // namespace SPARSEDYN_CODE

/// Second-order columns of all freedoms that have come to one body, by place: each component a row of the tree's freedoms. What
/// a block of four holds beyond the last of them belongs to freedoms that send theirs later.
template <class S>
class SecondOrderColumns {
 public:
  explicit SecondOrderColumns(int nv)
      : stride_(nv + TensorIndex::block), rows_(static_cast<std::size_t>(components * stride_), S(0.0)) {}
  void put(const SecondOrderColumn<S>& x, int place) {
    visit(rows_.data() + place, x, true, [](const S& entry, S* at) { *at = entry; });
  }
  void put(const SecondOrderColumn<simd<S, 4>>& x, bool means, int place) {
    visit(rows_.data() + place, x, means, [](const simd<S, 4>& entry, S* at) { store(entry, at); });
  }
  void get(int place, bool means, SecondOrderColumn<simd<S, 4>>& x) const {
    visit(rows_.data() + place, x, means, [](simd<S, 4>& entry, const S* at) { entry = load<4>(at); });
    if (!means) detail::set_means(x);
  }

 private:
  static constexpr std::ptrdiff_t components = 39;
  template <class Row, class ForceColumn, class Visit>
  [[gnu::always_inline]] void visit(Row* row, ForceColumn& x, bool means, Visit&& visit) const {
    const auto vector = [&](auto& u) {
      for (int r = 0; r < 3; ++r, row += stride_) visit(u[r], row);
    };
    const auto matrix = [&](auto& A) {
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c, row += stride_) visit(A(r, c), row);
    };
    matrix(x.E), matrix(x.H);
    vector(x.kappa), vector(x.f), vector(x.f1), vector(x.dF), vector(x.dN);
    if (means) vector(x.n1v), vector(x.f1v);
  }
  std::ptrdiff_t stride_;
  std::vector<S> rows_;
};

}  // namespace sparsedyn
