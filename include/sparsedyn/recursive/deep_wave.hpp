// What the deepest of three freedoms sends towards the base: first and second moments of its displacement e.
// Equations and names as in docs/second-derivatives.md; t(X) = tr(X) 1 − X.
#pragma once

#include "sparsedyn/recursive/second_screws.hpp"

namespace sparsedyn {

/// Sums over the mass below freedom k: E = Σ m ρ eᵀ, f = Σ m e, κ = Σ m ρ' × e, δF_q, δN_q; and with the rates e' that the
/// parent gives it, H = Σ m (ρ' eᵀ + e' ρᵀ), f1 = Σ m e'. Where the mean (v) of parent and child differs from the parent, also
/// with that.
template <class S>
struct DeepWave {
  Lanes<S> E[3], H[3], Hv[3];  // by rows; fourth lane of E: κ
  Vec3<Lanes<S>> vectors;      // f | f1 | δF_q | δN_q
  Vec3<S> f1v;
  bool mean_differs;
};

namespace detail {

template <class S>
Vec3<S> fourth(const Lanes<S>* rows) {
  return {{rows[0][3], rows[1][3], rows[2][3]}};
}
template <class S>
Lanes<S> padded(const Vec3<S>& u, const S& fourth) {
  return lanes(u[0], u[1], u[2], fourth);
}
template <class S>
Vec3<S> column(const Lanes<S>* rows, int c) {
  return {{rows[0][c], rows[1][c], rows[2][c]}};
}

/// R A Rᵀ, and R u for u the fourth lane, in place.
template <class S>
void turn(const Mat3<S>& R, Lanes<S>* A) {
  const S o(0.0);
  const Lanes<S> columns[3] = {lanes(R(0, 0), R(1, 0), R(2, 0), o), lanes(R(0, 1), R(1, 1), R(2, 1), o),
                               lanes(R(0, 2), R(1, 2), R(2, 2), o)};
  Lanes<S> turned[3];
  for (int r = 0; r < 3; ++r) {
    const Lanes<S> RA = R(r, 0) * A[0] + R(r, 1) * A[1] + R(r, 2) * A[2];
    turned[r] = RA[0] * columns[0] + RA[1] * columns[1] + RA[2] * columns[2] + lanes(o, o, o, RA[3]);
  }
  for (int r = 0; r < 3; ++r) A[r] = turned[r];
}

template <class S>
void set_vectors(const Vec3<S>& f, const Vec3<S>& f1, const Vec3<S>& dF, const Vec3<S>& dN, DeepWave<S>& y) {
  for (int r = 0; r < 3; ++r) y.vectors[r] = lanes(f[r], f1[r], dF[r], dN[r]);
}

/// About e_z: e = (−ρ_y, ρ_x, 0), z' = (z'_x, z'_y, 0).
template <class S>
void revolute_deep_wave(const BodyMoments<S>& x, const SecondScrew<S>& e, Constant<S> m, DeepWave<S>& y) {
  const Vec3<S> h = x.h(), p = x.p(), g0 = column(x.rate, 0), g1 = column(x.rate, 1);  // of G: rows of Gᵀ
  const Lanes<S>*s = x.second, *g = x.rate;
  const S o(0.0), &z1x = e.z1[0], &z1y = e.z1[1];
  const S trace = g[0][0] + g[1][1];
  const Vec3<S> kappa{{-g[0][2], -g[1][2], trace}};
  for (int r = 0; r < 3; ++r) y.E[r] = lanes(S(-s[r][1]), s[r][0], o, kappa[r]);
  const Vec3<S> z1_x_S[3] = {z1y * Vec3<S>{{s[2][0], s[2][1], s[2][2]}}, -(z1x * Vec3<S>{{s[2][0], s[2][1], s[2][2]}}),
                             z1x * Vec3<S>{{s[1][0], s[1][1], s[1][2]}} - z1y * Vec3<S>{{s[0][0], s[0][1], s[0][2]}}};
  const Vec3<S> z_x_G[3] = {-g1, g0, zero3<S>()};
  for (int r = 0; r < 3; ++r) y.H[r] = padded(z_x_G[r] + z1_x_S[r], o) + lanes(S(-g[1][r]), g[0][r], o, o);
  const Wave<S> first = revolute_wave(x, m);
  set_vectors(ez_cross(h), cross(e.z1, h) + ez_cross(p), lane(first.forces, 2), lane(first.moments, 2), y);
}

template <class S>
void screw_deep_wave(const BodyMoments<S>& x, const Vec3<S>& v_joint, const SecondScrew<S>& e, Constant<S> m, DeepWave<S>& y) {
  const Vec3<S> h = x.h(), F = x.F(), p = x.p() + m * v_joint, zp = cross(e.z, p);
  Mat3<S> second, G;  // rates from c: G + h v_Jᵀ
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) second(r, c) = x.second[r][c], G(r, c) = x.rate[r][c] + h[r] * v_joint[c];
  const Mat3<S> Zt = transpose(hat(e.z)), Gt = transpose(G);
  const Mat3<S> turning = Gt * Zt + hat(e.z) * Gt, E = second * Zt;
  const auto trace_minus = [](const Mat3<S>& A, const Vec3<S>& u) { return (A(0, 0) + A(1, 1) + A(2, 2)) * u - A * u; };
  const Vec3<S> kappa = trace_minus(G, e.z) + cross(p, e.l);
  const auto rates = [&](const Vec3<S>& z1, const Vec3<S>& l1, Lanes<S>* H) {
    const Mat3<S> moved = turning + hat(z1) * second;
    for (int r = 0; r < 3; ++r)
      H[r] = lanes(moved(r, 0), moved(r, 1), moved(r, 2), S(0.0)) + p[r] * padded(e.l, S(0.0)) + l1[r] * padded(h, S(0.0));
  };
  for (int r = 0; r < 3; ++r) y.E[r] = lanes(E(r, 0), E(r, 1), E(r, 2), kappa[r]) + h[r] * padded(e.l, S(0.0));
  rates(e.z1, e.l1, y.H);
  rates(e.zv, e.lv, y.Hv);
  y.f1v = cross(e.zv, h) + zp + m * e.lv;
  set_vectors(cross(e.z, h) + m * e.l, cross(e.z1, h) + zp + m * e.l1,
              cross(e.z2, h) + twice(cross(e.z1, p)) + cross(e.z, F) + m * e.L2,
              inertia_times(x.second, e.z2) + twice(trace_minus(Gt, e.z1)) + cross(e.z, x.N()) + cross(h, e.L2) + cross(e.l, F),
              y);
}

/// e = l everywhere.
template <class S>
void shift_deep_wave(const BodyMoments<S>& x, const Vec3<S>& v_joint, const SecondScrew<S>& e, Constant<S> m, DeepWave<S>& y) {
  const Vec3<S> h = x.h(), p = x.p() + m * v_joint, kappa = cross(p, e.l);
  const S o(0.0);
  const Lanes<S> l4 = padded(e.l, o), h4 = padded(h, o);
  for (int r = 0; r < 3; ++r) {
    y.E[r] = h[r] * l4 + lanes(o, o, o, kappa[r]);
    y.H[r] = p[r] * l4 + e.l1[r] * h4;
    y.Hv[r] = p[r] * l4 + e.lv[r] * h4;
  }
  y.f1v = m * e.lv;
  set_vectors(m * e.l, m * e.l1, m * e.L2, cross(h, e.L2) + cross(e.l, x.F()), y);
}

}  // namespace detail

/// The wave of freedom c of a body in its own frame; m: mass below the joint.
template <class S>
void deep_wave(const Body& body, int c, const BodyMoments<S>& x, const SecondFrame<S>& frame, const SecondScrew<S>& e,
               Constant<S> m, DeepWave<S>& y) {
  y.mean_differs = !has_fixed_axis(body.joint);
  if (body.joint == BodyJoint::revolute)
    detail::revolute_deep_wave(x, e, m, y);
  else if (is_shift(body.joint, c))
    detail::shift_deep_wave(x, frame.v_joint, e, m, y);
  else
    detail::screw_deep_wave(x, frame.v_joint, e, m, y);
}

/// To the parent's axes and origin, rates from the parent's origin.
template <class S>
void leave(const SecondFrame<S>& frame, DeepWave<S>& x) {
  using namespace detail;
  const Mat3<S>& R = frame.R;
  const S o(0.0);
  x.vectors = R * x.vectors;
  const Vec3<S> f = lane(x.vectors, 0), f1 = lane(x.vectors, 1), wf = cross(frame.w, f);
  const Vec3<S> moment = cross(frame.d, lane(x.vectors, 2));
  const Lanes<S> f4 = padded(f, o), d4 = padded(frame.d, o);
  turn(R, x.E), turn(R, x.H);
  for (int r = 0; r < 3; ++r) {
    x.E[r] = x.E[r] + frame.d[r] * f4 + lanes(o, o, o, wf[r]);
    x.H[r] = x.H[r] + frame.w[r] * f4 + f1[r] * d4;
    x.vectors[r] = x.vectors[r] + lanes(o, o, o, moment[r]);
  }
  if (!x.mean_differs) return;
  x.f1v = R * x.f1v;
  turn(R, x.Hv);
  for (int r = 0; r < 3; ++r) x.Hv[r] = x.Hv[r] + frame.w[r] * f4 + x.f1v[r] * d4;
}

/// Rates from the point c of the body that it has come to.
template <class S>
void arrive(const SecondFrame<S>& frame, DeepWave<S>& x) {
  using namespace detail;
  const Vec3<S> f = lane(x.vectors, 0), vf = cross(frame.v_joint, f);
  const S o(0.0);
  const Lanes<S> f4 = padded(f, o);
  for (int r = 0; r < 3; ++r) {
    x.H[r] = x.H[r] + frame.v_joint[r] * f4;
    x.E[r] = x.E[r] + lanes(o, o, o, vf[r]);
    if (x.mean_differs) x.Hv[r] = x.Hv[r] + frame.v_joint[r] * f4;
  }
}

}  // namespace sparsedyn
