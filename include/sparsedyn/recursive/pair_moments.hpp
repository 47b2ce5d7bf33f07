// Where two freedoms meet: moments of their displacements together, and what a third freedom above makes of these.
// Equations and names as in docs/second-derivatives.md.
#pragma once

#include "sparsedyn/recursive/deep_wave.hpp"
#include "sparsedyn/recursive/second_derivatives.hpp"

namespace sparsedyn {

/// Sums over the mass below k for the pair (j, k), in the frame of j, with e_jk = z_j × e_k:
///   F = Σ m e_jk               Fa, Fb = Σ m e_jk'                F2 = Σ m e_jk''
///   N = Σ ρ × m e_jk           Pa = Σ m (ρ × e_jk' + e_j × e_k') Y = Σ m (ρ × e_jk' + e_k × e_j')  W
///   b = Σ m e_j × e_k          R = Σ m (ρ' × e_jk − e_j × e_k')  T = Σ m (ρ' × e_jk + e_j' × e_k)
/// a: j with the parent's rates and k with the mean; b: j with the mean and k with the parent's.
template <class S>
struct PairMoments {
  Vec3<S> F, N, b, Fa, Pa, Fb, Y, F2, W, R, T;
};

namespace detail {

/// t(A) y = tr(A) y − A y and t(Aᵀ) y for A by rows.
template <class S>
Vec3<S> t_times(const Lanes<S>* A, const Vec3<S>& y) {
  const S xx = A[1][1] + A[2][2], yy = A[0][0] + A[2][2], zz = A[0][0] + A[1][1];
  return {{xx * y[0] - A[0][1] * y[1] - A[0][2] * y[2], yy * y[1] - A[1][0] * y[0] - A[1][2] * y[2],
           zz * y[2] - A[2][0] * y[0] - A[2][1] * y[1]}};
}
template <class S>
Vec3<S> t_transposed_times(const Lanes<S>* A, const Vec3<S>& y) {
  const S xx = A[1][1] + A[2][2], yy = A[0][0] + A[2][2], zz = A[0][0] + A[1][1];
  return {{xx * y[0] - A[1][0] * y[1] - A[2][0] * y[2], yy * y[1] - A[0][1] * y[0] - A[2][1] * y[2],
           zz * y[2] - A[0][2] * y[0] - A[1][2] * y[1]}};
}
/// Σ a × b for A = Σ a bᵀ.
template <class S>
Vec3<S> axial(const Lanes<S>* A) {
  return {{A[1][2] - A[2][1], A[2][0] - A[0][2], A[0][1] - A[1][0]}};
}

/// About e_z, where z' is the mean too, and for a k whose rates are alike.
template <class S>
PairMoments<S> revolute_pair(const SecondScrew<S>& j, const DeepWave<S>& x) {
  const Vec3<S> f = lane(x.vectors, 0), f1 = lane(x.vectors, 1), dF = lane(x.vectors, 2), dN = lane(x.vectors, 3);
  const Vec3<S> kappa = fourth(x.E), n1 = kappa - axial(x.H), zk = ez_cross(kappa);
  const S ezz = x.E[0][0] + x.E[1][1], hzz = x.H[0][0] + x.H[1][1];
  const Vec3<S> N{{-x.E[2][0], -x.E[2][1], ezz}}, b{{x.E[0][2], x.E[1][2], -ezz}}, R{{-x.H[2][0], -x.H[2][1], hzz}};
  const S &zx = j.z1[0], &zy = j.z1[1];
  const auto z1_cross = [&](const Vec3<S>& u) { return Vec3<S>{{zy * u[2], -(zx * u[2]), zx * u[1] - zy * u[0]}}; };
  const S exx = x.E[1][1] + x.E[2][2], eyy = x.E[0][0] + x.E[2][2], hxx = x.H[1][1] + x.H[2][2], hyy = x.H[0][0] + x.H[2][2];
  const Vec3<S> tE{{exx * zx - x.E[0][1] * zy, eyy * zy - x.E[1][0] * zx, -(x.E[2][0] * zx) - x.E[2][1] * zy}};
  const Vec3<S> tEt{{exx * zx - x.E[1][0] * zy, eyy * zy - x.E[0][1] * zx, -(x.E[0][2] * zx) - x.E[1][2] * zy}};
  const Vec3<S> tH{{hxx * zx - x.H[0][1] * zy, hyy * zy - x.H[1][0] * zx, -(x.H[2][0] * zx) - x.H[2][1] * zy}};
  const Vec3<S> Fa = z1_cross(f) + ez_cross(f1), P = tEt + ez_cross(n1), T = zk - tE;
  return {ez_cross(f),
          N,
          b,
          Fa,
          P,
          Fa,
          P - T + R,
          cross(j.z2, f) + twice(z1_cross(f1)) + ez_cross(dF),
          ez_cross(dN) + t_times(x.E, j.z2) + t_transposed_times(x.E, j.z2) + twice(tH) + cross(f, j.L2),
          R,
          T};
}

template <class S>
PairMoments<S> screw_pair(const SecondScrew<S>& j, const DeepWave<S>& x) {
  const Vec3<S> f = lane(x.vectors, 0), f1 = lane(x.vectors, 1), dF = lane(x.vectors, 2), dN = lane(x.vectors, 3);
  const Lanes<S>* Hv = x.mean_differs ? x.Hv : x.H;
  const Vec3<S> f1v = x.mean_differs ? x.f1v : f1, kappa = fourth(x.E);
  const Vec3<S> n1 = kappa - axial(x.H), n1v = kappa - axial(Hv), zk = cross(j.z, kappa);  // Σ ρ × m e_k'
  const Vec3<S> R = t_transposed_times(x.H, j.z) - cross(j.l, f1), T = zk - t_times(x.E, j.z1) + cross(j.l1, f);
  const Vec3<S> Pb = t_transposed_times(x.E, j.zv) + cross(j.z, n1) + cross(j.l, f1);
  const Vec3<S> Tv = zk - t_times(x.E, j.zv) + cross(j.lv, f);
  return {cross(j.z, f),
          t_transposed_times(x.E, j.z),
          cross(j.l, f) - t_times(x.E, j.z),
          cross(j.z1, f) + cross(j.z, f1v),
          t_transposed_times(x.E, j.z1) + cross(j.z, n1v) + cross(j.l, f1v),
          cross(j.zv, f) + cross(j.z, f1),
          Pb - Tv + R,
          cross(j.z2, f) + twice(cross(j.z1, f1)) + cross(j.z, dF),
          cross(j.z, dN) + t_times(x.E, j.z2) + t_transposed_times(x.E, j.z2) + twice(t_times(x.H, j.z1)) + cross(j.l, dF) +
              cross(f, j.L2),
          R,
          T};
}

/// Freedom j shifts: z and its rates are zero, and so is e_jk.
template <class S>
PairMoments<S> shift_pair(const SecondScrew<S>& j, const DeepWave<S>& x) {
  const Vec3<S> o = zero3<S>(), f = lane(x.vectors, 0), f1 = lane(x.vectors, 1), dF = lane(x.vectors, 2);
  return {o,
          o,
          cross(j.l, f),
          o,
          cross(j.l, x.mean_differs ? x.f1v : f1),
          o,
          -cross(j.lv, f),
          o,
          cross(j.l, dF) + cross(f, j.L2),
          -cross(j.l, f1),
          cross(j.l1, f)};
}

/// Freedom j turns a free body at the world, which does not move its axes: z' = z'' = 0.
template <class S>
PairMoments<S> free_turn_pair(const SecondScrew<S>& j, const DeepWave<S>& x) {
  const Vec3<S> f = lane(x.vectors, 0), f1 = lane(x.vectors, 1), dF = lane(x.vectors, 2), dN = lane(x.vectors, 3);
  const Vec3<S> f1v = x.mean_differs ? x.f1v : f1, kappa = fourth(x.E);
  const Vec3<S> n1 = kappa - axial(x.H), n1v = x.mean_differs ? kappa - axial(x.Hv) : n1;
  const Vec3<S> R = t_transposed_times(x.H, j.z), T = cross(j.z, kappa);
  return {cross(j.z, f),
          t_transposed_times(x.E, j.z),
          -t_times(x.E, j.z),
          cross(j.z, f1v),
          cross(j.z, n1v),
          cross(j.zv, f) + cross(j.z, f1),
          t_transposed_times(x.E, j.zv) + t_times(x.E, j.zv) + cross(j.z, n1) - T - cross(j.lv, f) + R,
          cross(j.z, dF),
          cross(j.z, dN) + cross(f, j.L2),
          R,
          T};
}

}  // namespace detail

/// The values of (i, j, k) for four freedoms i, from their screws as the body of j sees them, into the row of (j, k).
///   C = z·N + l·F    B = z·b    qq_i = z·W + l·F2    qq_j = z2·(N − b) + 2 z1·R + L2·F    qq_k = z2·(N + b) + 2 z1·T + L2·F
///   qv_ijk = 2 (z·Pa + l·Fa)    qv_ikj = 2 (z·Y + l·Fb)    qv_kij = 2 z1·b
///   qv_jki = 2 (zv·(N − b) + z·R + lv·F)    qv_kji = 2 (zv·(N + b) + z·T + lv·F)
template <class S>
[[gnu::always_inline]] inline void meet(const PairMoments<S>& y, const S* screws, int width, S* row) {
  using P = ScrewPlane;
  using detail::twice;
  const auto along = [](const Vec3<S>& u, const Vec3<Lanes<S>>& s) { return u[0] * s[0] + u[1] * s[1] + u[2] * s[2]; };
  const auto plane = [&](P x) { return detail::load(screws, width, x); };
  const Vec3<Lanes<S>> z = plane(P::z), l = plane(P::l), z1 = plane(P::z1), z2 = plane(P::z2), zv = plane(P::zv);
  const Vec3<S> minus = y.N - y.b, plus = y.N + y.b;
  const Lanes<S> L2F = along(y.F, plane(P::L2)), lvF = along(y.F, plane(P::lv));
  const Lanes<S> values[triple_values] = {along(y.N, z) + along(y.F, l),
                                          along(y.b, z),
                                          along(y.W, z) + along(y.F2, l),
                                          along(minus, z2) + twice(along(y.R, z1)) + L2F,
                                          along(plus, z2) + twice(along(y.T, z1)) + L2F,
                                          twice(along(y.Pa, z) + along(y.Fa, l)),
                                          twice(along(y.Y, z) + along(y.Fb, l)),
                                          twice(along(y.b, z1)),
                                          twice(along(minus, zv) + along(y.R, z) + lvF),
                                          twice(along(plus, zv) + along(y.T, z) + lvF)};
  for (int v = 0; v < triple_values; ++v) store(values[v], row + v * width);
}

/// The same where j shifts without turning, so that e_jk = 0: what is left are b, Pa, Y, W, R, T.
template <class S>
[[gnu::always_inline]] inline void meet_shift(const PairMoments<S>& y, const S* screws, int width, S* row) {
  using P = ScrewPlane;
  using detail::twice;
  const S o(0.0);
  const auto along = [](const Vec3<S>& u, const Vec3<Lanes<S>>& s) { return u[0] * s[0] + u[1] * s[1] + u[2] * s[2]; };
  const auto plane = [&](P x) { return detail::load(screws, width, x); };
  const Vec3<Lanes<S>> z = plane(P::z), z1 = plane(P::z1);
  const Lanes<S> zero = lanes(o, o, o, o), z2b = along(y.b, plane(P::z2)), zvb = along(y.b, plane(P::zv));
  const Lanes<S> values[triple_values] = {zero,
                                          along(y.b, z),
                                          along(y.W, z),
                                          twice(along(y.R, z1)) - z2b,
                                          twice(along(y.T, z1)) + z2b,
                                          twice(along(y.Pa, z)),
                                          twice(along(y.Y, z)),
                                          twice(along(y.b, z1)),
                                          twice(along(y.R, z) - zvb),
                                          twice(along(y.T, z) + zvb)};
  for (int v = 0; v < triple_values; ++v) store(values[v], row + v * width);
}

/// Freedom j, the c-th of its body, with what k has carried there and all freedoms above: fills the row of (j, k). screws: as
/// the body sees them, `width` of each plane.
template <class S>
void meet_all(const Body& body, int c, const SecondScrew<S>& j, const DeepWave<S>& x, const S* screws, int width, S* row) {
  const BodyJoint joint = body.joint;
  if (is_shift(joint, c)) {
    const PairMoments<S> y = detail::shift_pair(j, x);
    for (int at = 0; at < width; at += TripleIndex::block) meet_shift(y, screws + at, width, row + at);
    return;
  }
  const bool free = joint == BodyJoint::floating && body.parent < 0, revolute = joint == BodyJoint::revolute && !x.mean_differs;
  const PairMoments<S> y = revolute ? detail::revolute_pair(j, x)
                           : free   ? detail::free_turn_pair(j, x)
                                    : detail::screw_pair(j, x);
  for (int at = 0; at < width; at += TripleIndex::block) meet(y, screws + at, width, row + at);
}

}  // namespace sparsedyn
