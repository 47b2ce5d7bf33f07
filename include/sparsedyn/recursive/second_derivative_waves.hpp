// What travels up the tree for second derivatives: the moments of one freedom, then of a pair of freedoms.
// Equations and names as in docs/second-derivatives.md; t(X) = tr(X) 1 − X.
#pragma once

#include "sparsedyn/recursive/joint_screws.hpp"
#include "sparsedyn/recursive/triple_index.hpp"

namespace sparsedyn {

/// A body's frame, as second derivatives need it: rates are taken from the point c that the parent carries.
template <class S>
struct SecondFrame {
  Mat3<S> R;
  Vec3<S> d, w;     // of O_i in the parent, and the rate of c there
  Vec3<S> a;        // acceleration of c
  Vec3<S> omega;    // of the body
  Vec3<S> v_joint;  // velocity of O_i from c
};

/// A freedom's screw with the rates z1, l1, z2, l2 by which the parent carries it, L2 = l2 − z × a, and zv, lv: the mean of
/// what parent and child make of it.
template <class S>
struct SecondScrew {
  Vec3<S> z, l, z1, l1, z2, l2, L2, zv, lv;
};

/// Allocated once for a model; one a thread.
template <class S>
struct SecondWorkspace {
  explicit SecondWorkspace(const Model& model) : moments(model), frames(model.bodies.size()), screws(model.nv) {}
  MomentWorkspace<S> moments;
  std::vector<SecondFrame<S>> frames;
  std::vector<SecondScrew<S>> screws;  // by entry of v
};

/// Frames and screws after moment_passes. Where parent and child carry the axis alike, c may as well be O_i.
template <class S>
void find_frames(const Model& model, SecondWorkspace<S>& ws) noexcept {
  const Constant<S> half(0.5);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const BodyMoments<S>& x = ws.moments.bodies[b];
    const bool fixed = has_fixed_axis(body.joint);
    const BodyMotion<S>& carrier = fixed ? x.motion : x.parent;
    SecondFrame<S>& frame = ws.frames[b];
    frame = {x.pose.R, x.pose.d, x.w, carrier.a, x.motion.w, zero3<S>()};
    if (!fixed) frame.v_joint = x.v_joint, frame.w = x.w - x.pose.R * x.v_joint;
    const Vec3<S> mean = half * (x.motion.w + carrier.w);
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const Motion<S> e = cast<S>(cast<Constant<S>>(motion_subspace(body, c)));
      const Vec3<S> l2 = carrier.U * e.v;
      ws.screws[body.v + c] = {e.w,
                               e.v,
                               cross(carrier.w, e.w),
                               cross(carrier.w, e.v),
                               carrier.U * e.w,
                               l2,
                               l2 - cross(e.w, carrier.a),
                               cross(mean, e.w),
                               cross(mean, e.v) - half * cross(e.w, frame.v_joint)};
    }
  }
}

/// Sums over the mass below freedom k: E = Σ m ρ eᵀ, f = Σ m e, κ = Σ m ρ' × e, δF_q, δN_q; and with the rates e' that the
/// parent gives it, or the mean (v): H = Σ m (ρ' eᵀ + e' ρᵀ), f1 = Σ m e'.
template <class S>
struct DeepWave {
  Mat3<S> E, H, Hv;
  Vec3<S> f, f1, f1v, kappa, dF, dN;
};

namespace detail {

template <class S>
Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  Mat3<S> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = a[i] * b[k];
  return r;
}
/// t(A) y = tr(A) y − A y.
template <class S>
Vec3<S> t_times(const Mat3<S>& A, const Vec3<S>& y) {
  return (A(0, 0) + A(1, 1) + A(2, 2)) * y - A * y;
}
/// t(Aᵀ) y.
template <class S>
Vec3<S> t_transposed_times(const Mat3<S>& A, const Vec3<S>& y) {
  return (A(0, 0) + A(1, 1) + A(2, 2)) * y - transposed_times(A, y);
}
/// Σ a × b for A = Σ a bᵀ.
template <class S>
Vec3<S> axial(const Mat3<S>& A) {
  return {{A(1, 2) - A(2, 1), A(2, 0) - A(0, 2), A(0, 1) - A(1, 0)}};
}
template <class S>
Mat3<S> turned(const Mat3<S>& R, const Mat3<S>& A) {
  const Mat3<S> RA = R * A;
  Mat3<S> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = RA(i, 0) * R(k, 0) + RA(i, 1) * R(k, 1) + RA(i, 2) * R(k, 2);
  return r;
}

}  // namespace detail

template <class S>
DeepWave<S> deep_wave(const BodyMoments<S>& x, const SecondFrame<S>& frame, const SecondScrew<S>& e, Constant<S> m) {
  const Vec3<S> h = x.h(), F = x.F(), p = x.p() + m * frame.v_joint;
  Mat3<S> second, G;  // rates from c: G + h v_Jᵀ
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) second(r, c) = x.second[r][c], G(r, c) = x.rate[r][c] + h[r] * frame.v_joint[c];
  const Mat3<S> Z = hat(e.z);
  const Mat3<S> turning = transpose(G) * transpose(Z) + Z * transpose(G) + detail::outer(p, e.l);
  const Vec3<S> zp = cross(e.z, p);
  return {second * transpose(Z) + detail::outer(h, e.l),
          turning + hat(e.z1) * second + detail::outer(e.l1, h),
          turning + hat(e.zv) * second + detail::outer(e.lv, h),
          cross(e.z, h) + m * e.l,
          cross(e.z1, h) + zp + m * e.l1,
          cross(e.zv, h) + zp + m * e.lv,
          detail::t_times(G, e.z) + cross(p, e.l),
          cross(e.z2, h) + detail::twice(cross(e.z1, p)) + cross(e.z, F) + m * e.L2,
          detail::t_times(second, e.z2) + detail::twice(detail::t_transposed_times(G, e.z1)) + cross(e.z, x.N()) +
              cross(h, e.L2) + cross(e.l, F)};
}

/// To the parent's axes and origin, rates from the parent's origin.
template <class S>
void leave(const SecondFrame<S>& frame, DeepWave<S>& x) {
  const Mat3<S>& R = frame.R;
  x.f = R * x.f, x.f1 = R * x.f1, x.f1v = R * x.f1v, x.dF = R * x.dF;
  x.E = detail::turned(R, x.E) + detail::outer(frame.d, x.f);
  const Mat3<S> wf = detail::outer(frame.w, x.f);
  x.H = detail::turned(R, x.H) + wf + detail::outer(x.f1, frame.d);
  x.Hv = detail::turned(R, x.Hv) + wf + detail::outer(x.f1v, frame.d);
  x.kappa = R * x.kappa + cross(frame.w, x.f);
  x.dN = R * x.dN + cross(frame.d, x.dF);
}
/// Rates from the point c of the body that it has come to.
template <class S>
void arrive(const SecondFrame<S>& frame, DeepWave<S>& x) {
  const Mat3<S> vf = detail::outer(frame.v_joint, x.f);
  x.H = x.H + vf;
  x.Hv = x.Hv + vf;
  x.kappa += cross(frame.v_joint, x.f);
}

/// Sums over the mass below k for the pair (j, k), with e_jk = z_j × e_k, four vectors abreast:
///   forces   F = Σ m e_jk | Fa = Σ m e_jk' | Fb likewise | F2 = Σ m e_jk''
///   moments  N = Σ ρ × m e_jk | Pa = Σ m (ρ × e_jk' + e_j × e_k') | Y = Σ m (ρ × e_jk' + e_k × e_j') | W
///   free     b = Σ m e_j × e_k | R = Σ m (ρ' × e_jk − e_j × e_k') | T = Σ m (ρ' × e_jk + e_j' × e_k) | 0
/// a: j with the parent's rates and k with the mean; b: j with the mean and k with the parent's.
template <class S>
struct PairWave {
  Vec3<Lanes<S>> forces, moments, free;
};

/// The pair at j, from what k has carried there.
template <class S>
void start(const SecondFrame<S>& frame, const SecondScrew<S>& j, const DeepWave<S>& x, PairWave<S>& y) {
  using namespace detail;
  const Vec3<S> n1 = x.kappa - axial(x.H), n1v = x.kappa - axial(x.Hv);  // Σ ρ × m e_k'
  const Vec3<S> F = cross(j.z, x.f), tE = t_times(x.E, j.z), zk = cross(j.z, x.kappa);
  const Vec3<S> Fa = cross(j.z1, x.f) + cross(j.z, x.f1v), Fb = cross(j.zv, x.f) + cross(j.z, x.f1);
  const Vec3<S> Pa = t_transposed_times(x.E, j.z1) + cross(j.z, n1v) + cross(j.l, x.f1v);
  const Vec3<S> Pb = t_transposed_times(x.E, j.zv) + cross(j.z, n1) + cross(j.l, x.f1);
  const Vec3<S> R = t_transposed_times(x.H, j.z) - cross(j.l, x.f1);
  const Vec3<S> T = zk - t_times(x.E, j.z1) + cross(j.l1, x.f), Tv = zk - t_times(x.E, j.zv) + cross(j.lv, x.f);
  const Vec3<S> F2 = cross(j.z2, x.f) + twice(cross(j.z1, x.f1)) + cross(j.z, x.dF);
  const Vec3<S> W = cross(j.z, x.dN) + t_times(x.E, j.z2) + t_transposed_times(x.E, j.z2) + twice(t_times(x.H, j.z1)) -
                    cross(x.f, cross(j.z, frame.a)) + cross(j.l, x.dF) + cross(x.f, j.l2);
  const Vec3<S> N = t_transposed_times(x.E, j.z), b = cross(j.l, x.f) - tE, Y = Pb - Tv + R;
  for (int r = 0; r < 3; ++r) {
    y.forces[r] = lanes(F[r], Fa[r], Fb[r], F2[r]);
    y.moments[r] = lanes(N[r], Pa[r], Y[r], W[r]);
    y.free[r] = lanes(b[r], R[r], T[r], S(0.0));
  }
}

template <class S>
[[gnu::always_inline]] inline void leave(const SecondFrame<S>& frame, PairWave<S>& y) {
  const Mat3<S>& A = frame.R;
  const Vec3<S>& d = frame.d;
  const auto turned = [&](const Vec3<Lanes<S>>& u, int r) { return A(r, 0) * u[0] + A(r, 1) * u[1] + A(r, 2) * u[2]; };
  const Lanes<S> fx = turned(y.forces, 0), fy = turned(y.forces, 1), fz = turned(y.forces, 2);
  const Lanes<S> nx = turned(y.moments, 0), ny = turned(y.moments, 1), nz = turned(y.moments, 2);
  const Lanes<S> bx = turned(y.free, 0), by = turned(y.free, 1), bz = turned(y.free, 2);
  const Vec3<S> wF = cross(frame.w, Vec3<S>{{fx[0], fy[0], fz[0]}});
  const S o(0.0);
  y.forces[0] = fx, y.forces[1] = fy, y.forces[2] = fz;
  y.moments[0] = nx + d[1] * fz - d[2] * fy, y.moments[1] = ny + d[2] * fx - d[0] * fz,
  y.moments[2] = nz + d[0] * fy - d[1] * fx;
  y.free[0] = bx + lanes(o, wF[0], wF[0], o), y.free[1] = by + lanes(o, wF[1], wF[1], o);
  y.free[2] = bz + lanes(o, wF[2], wF[2], o);
}
template <class S>
[[gnu::always_inline]] inline void arrive(const SecondFrame<S>& frame, PairWave<S>& y) {
  const Vec3<S> vF = cross(frame.v_joint, Vec3<S>{{y.forces[0][0], y.forces[1][0], y.forces[2][0]}});
  for (int r = 0; r < 3; ++r) y.free[r] = y.free[r] + lanes(S(0.0), vF[r], vF[r], S(0.0));
}

/// What a triple is made of; entries [a,b,c] named by their freedoms, qq_x: those of τ_x.
template <class S>
struct TripleValues {
  S C, B, qq_i, qq_j, qq_k, qv_ijk, qv_ikj, qv_kij, qv_jki, qv_kji;
};

///   C = z·N + l·F    B = z·b    qq_i = z·W + l·F2    qq_j = z2·(N − b) + 2 z1·R + L2·F    qq_k = z2·(N + b) + 2 z1·T + L2·F
///   qv_ijk = 2 (z·Pa + l·Fa)    qv_ikj = 2 (z·Y + l·Fb)    qv_kij = 2 z1·b = −qv_jik
///   qv_jki = 2 (zv·(N − b) + z·R + lv·F)    qv_kji = 2 (zv·(N + b) + z·T + lv·F)
template <class S>
TripleValues<S> at_screw(const SecondScrew<S>& e, const PairWave<S>& y) {
  using detail::twice;
  const auto along = [](const Vec3<S>& s, const Vec3<Lanes<S>>& u) { return s[0] * u[0] + s[1] * u[1] + s[2] * u[2]; };
  const Lanes<S> z = along(e.z, y.moments) + along(e.l, y.forces), zf = along(e.z, y.free), z1f = along(e.z1, y.free);
  const S z2N = along(e.z2, y.moments)[0], z2b = along(e.z2, y.free)[0], L2F = along(e.L2, y.forces)[0];
  const S zvN = along(e.zv, y.moments)[0], zvb = along(e.zv, y.free)[0], lvF = along(e.lv, y.forces)[0];
  return {z[0],        zf[0],       z[3],          z2N - z2b + twice(z1f[1]) + L2F, z2N + z2b + twice(z1f[2]) + L2F,
          twice(z[1]), twice(z[2]), twice(z1f[0]), twice(zvN - zvb + zf[1] + lvF),  twice(zvN + zvb + zf[2] + lvF)};
}

/// The same about e_z: z1 = zv = (ω_y, −ω_x, 0), L2 = (a_y, −a_x, 0).
template <class S>
[[gnu::always_inline]] inline TripleValues<S> at_revolute(const SecondFrame<S>& frame, const SecondScrew<S>& e,
                                                          const PairWave<S>& y) {
  using detail::twice;
  const Vec3<S>&u = e.z2, &w = frame.omega;
  const Vec3<Lanes<S>>&n = y.moments, &b = y.free;
  const Lanes<S> z1f = w[1] * b[0] - w[0] * b[1];
  const S z1N = w[1] * n[0][0] - w[0] * n[1][0];
  const S uN = u[0] * n[0][0] + u[1] * n[1][0] + u[2] * n[2][0], ub = u[0] * b[0][0] + u[1] * b[1][0] + u[2] * b[2][0];
  const S L2F = frame.a[1] * y.forces[0][0] - frame.a[0] * y.forces[1][0];
  return {n[2][0],        b[2][0],        n[2][3],       uN - ub + twice(z1f[1]) + L2F, uN + ub + twice(z1f[2]) + L2F,
          twice(n[2][1]), twice(n[2][2]), twice(z1f[0]), twice(z1N - z1f[0] + b[2][1]), twice(z1N + z1f[0] + b[2][2])};
}

/// The six freedoms of a free body at the world: the parent stands still (z1 = z2 = 0), so that with a the body's −g and v its
/// velocity, angular ones give W, F × a and (N ∓ b) × ω + 2 R (or T) + F × v, linear ones F2, 0 and F × ω.
template <class S>
void at_free_base(const SecondFrame<S>& frame, const PairWave<S>& y, TripleValues<S>* t) {
  using detail::twice;
  const auto lane = [](const Vec3<Lanes<S>>& u, int k) { return Vec3<S>{{u[0][k], u[1][k], u[2][k]}}; };
  const Vec3<S> F = lane(y.forces, 0), N = lane(y.moments, 0), b = lane(y.free, 0);
  const Vec3<S> Fa = cross(F, frame.a), Fv = cross(F, frame.v_joint), Fw = cross(F, frame.omega);
  const Vec3<S> minus = cross(N - b, frame.omega) + Fv, plus = cross(N + b, frame.omega) + Fv;
  const S o(0.0);
  for (int c = 0; c < 3; ++c) {
    const Lanes<S>&n = y.moments[c], &f = y.forces[c], &r = y.free[c];
    t[c] = {n[0], r[0], n[3], Fa[c], Fa[c], twice(n[1]), twice(n[2]), o, minus[c] + twice(r[1]), plus[c] + twice(r[2])};
    t[3 + c] = {f[0], o, f[3], o, o, twice(f[1]), twice(f[2]), o, Fw[c], Fw[c]};
  }
}

}  // namespace sparsedyn
