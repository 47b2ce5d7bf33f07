// Where two freedoms meet: moments of their displacements together, four deeper freedoms k side by side.
// Equations and names as in docs/second-derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/second_order/second_workspace.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Sums over the mass below k for the pairs (j, k), in the frame of j, with e_jk = z_j × e_k:
///   F = Σ m e_jk          F2 = Σ m e_jk''                               Fa = 2 Σ m e_jk'
///   N = Σ ρ × m e_jk      R = 2 Σ m (ρ' × e_jk − e_j × e_k')            Pa = 2 Σ m (ρ × e_jk' + e_j × e_k')
///   b = Σ m e_j × e_k     T = 2 Σ m (ρ' × e_jk + e_j' × e_k)            W
/// rates of j by the parent in Fa and Pa, those of k the mean.
template <class S>
struct PairMoments {
  Vec3<simd<S, 4>> F, N, b, F2, W, R, T, Fa, Pa;
};

/// Where the rates by parent and mean differ: with the mean for j and the parent's for k,
///   Fb = 2 Σ m e_jk'      Y = 2 Σ m (ρ × e_jk' + e_k × e_j')            else Fb = Fa, Y = Pa + R − T
template <class S>
struct MixedPairMoments : PairMoments<S> {
  Vec3<simd<S, 4>> Fb, Y;
};

/// j shifts without turning, so that e_jk = 0: what is left.
template <class S>
struct ShiftPairMoments {
  Vec3<simd<S, 4>> b, W, R, T, Pa, Y;
};

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// t(A) y = tr(A) y − A y and t(Aᵀ) y.
template <class S>
Vec3<simd<S, 4>> t_times(const Mat3<simd<S, 4>>& A, const Vec3<S>& y) {
  const simd<S, 4> xx = A(1, 1) + A(2, 2), yy = A(0, 0) + A(2, 2), zz = A(0, 0) + A(1, 1);
  return {{xx * y[0] - A(0, 1) * y[1] - A(0, 2) * y[2], yy * y[1] - A(1, 0) * y[0] - A(1, 2) * y[2],
           zz * y[2] - A(2, 0) * y[0] - A(2, 1) * y[1]}};
}
template <class S>
Vec3<simd<S, 4>> t_transposed_times(const Mat3<simd<S, 4>>& A, const Vec3<S>& y) {
  const simd<S, 4> xx = A(1, 1) + A(2, 2), yy = A(0, 0) + A(2, 2), zz = A(0, 0) + A(1, 1);
  return {{xx * y[0] - A(1, 0) * y[1] - A(2, 0) * y[2], yy * y[1] - A(0, 1) * y[0] - A(2, 1) * y[2],
           zz * y[2] - A(0, 2) * y[0] - A(1, 2) * y[1]}};
}
/// t(A + Aᵀ) y.
template <class S>
Vec3<simd<S, 4>> t_symmetric_times(const Mat3<simd<S, 4>>& A, const Vec3<S>& y) {
  const simd<S, 4> xy = A(0, 1) + A(1, 0), xz = A(0, 2) + A(2, 0), yz = A(1, 2) + A(2, 1);
  const Vec3<S> y2 = twice(y);
  return {{(A(1, 1) + A(2, 2)) * y2[0] - xy * y[1] - xz * y[2], (A(0, 0) + A(2, 2)) * y2[1] - xy * y[0] - yz * y[2],
           (A(0, 0) + A(1, 1)) * y2[2] - xz * y[0] - yz * y[1]}};
}
/// About e_z, where z' is the mean too, and for k whose rates are alike: z' and z × a have no z-component.
template <class S>
PairMoments<S> revolute_pair(const SecondScrew<S>& j, const SecondOrderColumn<simd<S, 4>>& x) {
  using V = Vec3<simd<S, 4>>;
  const Mat3<simd<S, 4>>&E = x.E, &H = x.H;
  const simd<S, 4> exx = E(1, 1) + E(2, 2), eyy = E(0, 0) + E(2, 2), ezz = E(0, 0) + E(1, 1);
  const simd<S, 4> hxx = H(1, 1) + H(2, 2), hyy = H(0, 0) + H(2, 2), hzz = H(0, 0) + H(1, 1);
  const S a = twice(j.z1[0]), b = twice(j.z1[1]), minus_a = -a;  // of 2 z'
  const auto rate_cross = [&](const V& u) { return V{{b * u[2], minus_a * u[2], a * u[1] - b * u[0]}}; };
  const V tE{{exx * a - E(0, 1) * b, eyy * b - E(1, 0) * a, E(2, 0) * minus_a - E(2, 1) * b}};
  const V tEt{{exx * a - E(1, 0) * b, eyy * b - E(0, 1) * a, E(0, 2) * minus_a - E(1, 2) * b}};
  const V tH{{hxx * a - H(0, 1) * b, hyy * b - H(1, 0) * a, H(2, 0) * minus_a - H(2, 1) * b}};
  const V f_L2{{x.f[2] * S(-j.L2[1]), x.f[2] * j.L2[0], x.f[0] * j.L2[1] - x.f[1] * j.L2[0]}};
  return {ez_cross(x.f),
          {{-E(2, 0), -E(2, 1), ezz}},
          {{E(0, 2), E(1, 2), -ezz}},
          cross(j.z2, x.f) + rate_cross(x.f1) + ez_cross(x.dF),
          ez_cross(x.dN) + t_symmetric_times(E, j.z2) + tH + f_L2,
          twice(V{{-H(2, 0), -H(2, 1), hzz}}),
          twice(ez_cross(x.kappa)) - tE,
          rate_cross(x.f) + twice(ez_cross(x.f1)),
          tEt + twice(ez_cross(x.n1v))};
}

template <class S>
MixedPairMoments<S> screw_pair(const SecondScrew<S>& j, const SecondOrderColumn<simd<S, 4>>& x) {
  using V = Vec3<simd<S, 4>>;
  const V n1 = rate_moment(x), zk = cross(j.z, x.kappa);  // Σ ρ × m e_k'
  const V R = t_transposed_times(x.H, j.z) - cross(j.l, x.f1);
  const V Pb = t_transposed_times(x.E, j.zv) + cross(j.z, n1) + cross(j.l, x.f1);
  const V Tv = zk - t_times(x.E, j.zv) + cross(j.lv, x.f);
  return {{cross(j.z, x.f), t_transposed_times(x.E, j.z), cross(j.l, x.f) - t_times(x.E, j.z),
           cross(j.z2, x.f) + twice(cross(j.z1, x.f1)) + cross(j.z, x.dF),
           cross(j.z, x.dN) + t_symmetric_times(x.E, j.z2) + twice(t_times(x.H, j.z1)) + cross(j.l, x.dF) + cross(x.f, j.L2),
           twice(R), twice(zk - t_times(x.E, j.z1) + cross(j.l1, x.f)), twice(cross(j.z1, x.f) + cross(j.z, x.f1v)),
           twice(t_transposed_times(x.E, j.z1) + cross(j.z, x.n1v) + cross(j.l, x.f1v))},
          twice(cross(j.zv, x.f) + cross(j.z, x.f1)),
          twice(Pb - Tv + R)};
}

template <class S>
ShiftPairMoments<S> shift_pair(const SecondScrew<S>& j, const SecondOrderColumn<simd<S, 4>>& x) {
  return {cross(j.l, x.f),          cross(j.l, x.dF) + cross(x.f, j.L2),
          twice(cross(x.f1, j.l)),  twice(cross(j.l1, x.f)),
          twice(cross(j.l, x.f1v)), twice(cross(x.f, j.lv))};
}

/// Freedom j turns a free body at the world, which does not move its axes: z' = z'' = 0, l = l' = 0.
template <class S>
MixedPairMoments<S> free_turn_pair(const SecondScrew<S>& j, const SecondOrderColumn<simd<S, 4>>& x) {
  using V = Vec3<simd<S, 4>>;
  const V R = t_transposed_times(x.H, j.z), T = cross(j.z, x.kappa);
  return {{cross(j.z, x.f), t_transposed_times(x.E, j.z), t_times(x.E, -j.z), cross(j.z, x.dF),
           cross(j.z, x.dN) + cross(x.f, j.L2), twice(R), twice(T), twice(cross(j.z, x.f1v)), twice(cross(j.z, x.n1v))},
          twice(cross(j.zv, x.f) + cross(j.z, x.f1)),
          twice(t_symmetric_times(x.E, j.zv) + cross(j.z, rate_moment(x)) - T - cross(j.lv, x.f) + R)};
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

}  // namespace sparsedyn
