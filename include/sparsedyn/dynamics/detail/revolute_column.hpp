// The force column of a revolute freedom about e_z, of one body or of four side by side. Derivation: docs/derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/moment_workspace.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

template <class S>
Vec3<S> column(const Mat3<S>& A, int c) {
  return {{A(0, c), A(1, c), A(2, c)}};
}
template <class T>
T twice(const T& y) {
  return y + y;
}
/// e_z × y.
template <class T>
Vec3<T> ez_cross(const Vec3<T>& y) {
  return {{-y[1], y[0], T(0.0)}};
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// What a turn about e_z sees of a body's motion: ω_x, ω_y, a_x, a_y and u = U e_z.
template <class T>
struct RevoluteMotion {
  T wx, wy, ax, ay;
  Vec3<T> u;
};
/// And of the moments below it. T: S, or simd<S, 4> for four bodies.
template <class T>
struct RevoluteMoments {
  RevoluteMotion<T> motion;
  T m;
  Vec3<T> h, p, F, N, second[3], rate[3];  // the matrices by rows
};

template <class S>
[[gnu::always_inline]] inline RevoluteMotion<S> revolute_motion_of(const BodyMoments<S>& x) {
  const BodyMotion<S>& motion = x.motion;
  return {motion.w[0], motion.w[1], motion.a[0], motion.a[1], detail::column(motion.U, 2)};
}
template <class S>
[[gnu::always_inline]] inline RevoluteMoments<S> revolute_moments(const BodyMoments<S>& x, SubtreeMass<S> m) {
  RevoluteMoments<S> r{revolute_motion_of(x), S(m), x.h(), x.p(), x.F(), x.N(), {}, {}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r.second[i][k] = x.second[i][k], r.rate[i][k] = x.rate[i][k];
  return r;
}
/// Of four bodies of ws, a body a lane.
template <class S>
[[gnu::always_inline]] inline RevoluteMoments<simd<S, 4>> revolute_moments(const MomentWorkspace<S>& ws,
                                                                           const std::array<int, 4>& body) {
  const BodyMoments<S>* const x[4] = {&ws.bodies[body[0]], &ws.bodies[body[1]], &ws.bodies[body[2]], &ws.bodies[body[3]]};
  const auto four = [&](auto&& get) { return lanes(S(get(*x[0])), S(get(*x[1])), S(get(*x[2])), S(get(*x[3]))); };
  const auto columns = [&](auto&& get, simd<S, 4>& a, simd<S, 4>& b, simd<S, 4>& c) {
    simd<S, 4> rows[4] = {load(get(*x[0])), load(get(*x[1])), load(get(*x[2])), load(get(*x[3]))};
    transpose(rows[0], rows[1], rows[2], rows[3]);
    a = rows[0], b = rows[1], c = rows[2];
    return rows[3];
  };
  using B = BodyMoments<S>;
  RevoluteMoments<simd<S, 4>> r;
  r.motion = {four([](const B& b) { return b.motion.w[0]; }),
              four([](const B& b) { return b.motion.w[1]; }),
              four([](const B& b) { return b.motion.a[0]; }),
              four([](const B& b) { return b.motion.a[1]; }),
              {}};
  r.m = lanes(S(ws.mass[body[0]]), S(ws.mass[body[1]]), S(ws.mass[body[2]]), S(ws.mass[body[3]]));
  for (int i = 0; i < 3; ++i) {
    r.motion.u[i] = four([i](const B& b) { return b.motion.U(i, 2); });
    columns([i](const B& b) -> const SimdMemory<S, 4>& { return b.second[i]; }, r.second[i][0], r.second[i][1], r.second[i][2]);
    columns([i](const B& b) -> const SimdMemory<S, 4>& { return b.rate[i]; }, r.rate[i][0], r.rate[i][1], r.rate[i][2]);
    r.N[i] = columns([i](const B& b) -> const SimdMemory<S, 4>& { return b.vectors[i]; }, r.h[i], r.p[i], r.F[i]);
  }
  return r;
}

/// About e_z: z' = ω × e_z, z'' = U e_z =: u,
///   δF_q = u × h + 2 z' × p + z × (F − m a)      δN_q = I u + 2 Q z' + z × N − h × (z × a)
///   δF_v = 2 (z' × h + z × p)                    δN_v = 2 (I z' + Q z)
///   f = z × h,  n = I z,  k = Qᵀ z
template <class T>
[[gnu::always_inline]] inline ForceColumnVectors<T> revolute_column(const RevoluteMoments<T>& x) {
  using detail::ez_cross;
  using detail::twice;
  const Vec3<T>&h = x.h, &p = x.p, &u = x.motion.u, *s = x.second, *g = x.rate;
  const T &wx = x.motion.wx, &wy = x.motion.wy, &ax = x.motion.ax, &ay = x.motion.ay;  // z' = (ω_y, −ω_x, 0)
  const auto z1_cross = [&](const Vec3<T>& y) { return Vec3<T>{{-(wx * y[2]), -(wy * y[2]), wy * y[1] + wx * y[0]}}; };
  const T trace = g[0][0] + g[1][1];
  const Vec3<T> Qz{{-g[2][0], -g[2][1], trace}};
  const T xx = s[1][1] + s[2][2], yy = s[0][0] + s[2][2], zz = s[0][0] + s[1][1];
  const Vec3<T> Iz1{{xx * wy + s[0][1] * wx, -(yy * wx + s[0][1] * wy), s[1][2] * wx - s[0][2] * wy}};
  const Vec3<T> Iu{{xx * u[0] - s[0][1] * u[1] - s[0][2] * u[2], yy * u[1] - s[0][1] * u[0] - s[1][2] * u[2],
                    zz * u[2] - s[0][2] * u[0] - s[1][2] * u[1]}};
  const T gx = g[1][1] + g[2][2], gy = g[0][0] + g[2][2];
  const Vec3<T> Qz1{{gx * wy + g[1][0] * wx, -(gy * wx + g[0][1] * wy), g[1][2] * wx - g[0][2] * wy}};
  const Vec3<T> hza{{-(h[2] * ax), -(h[2] * ay), h[0] * ax + h[1] * ay}};
  const Vec3<T> zFma{{x.m * ay - x.F[1], x.F[0] - x.m * ax, T(0.0)}};
  return {ez_cross(h),
          {{-s[0][2], -s[1][2], zz}},
          {{-g[0][2], -g[1][2], trace}},
          cross(u, h) + twice(z1_cross(p)) + zFma,
          Iu + twice(Qz1) + ez_cross(x.N) - hza,
          twice(z1_cross(h) + ez_cross(p)),
          twice(Iz1 + Qz)};
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
