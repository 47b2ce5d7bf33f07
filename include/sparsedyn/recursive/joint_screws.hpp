// The screws of a joint's freedoms, and the wrenches that a change of one freedom adds below the joint.
#pragma once

#include "sparsedyn/recursive/moment_passes.hpp"

namespace sparsedyn {

/// What one freedom of joint i sends towards the base, four vectors abreast:
///   forces  f | f | δF_q | δF_v        f = Σ m e, so that (f, n) is the freedom's column of M
///   moments n | k | δN_q | δN_v        n = Σ ρ × m e, k = Σ ρ' × m e
/// δ(F, N)_q and _v: the wrench added below the joint by a change of the freedom's coordinate and of its velocity.
template <class S>
struct Wave {
  Vec3<Lanes<S>> forces, moments;
};

/// Carries y one frame towards the base, in place: moments += d × forces, but with the shift's rate w for k.
template <class S>
[[gnu::always_inline]] inline void carry(const BodyMoments<S>& x, Wave<S>& y) {
  const Mat3<S>& R = x.pose.R;
  const Vec3<S>&d = x.pose.d, &w = x.w;
  const auto turned = [&](const Vec3<Lanes<S>>& u, int r) { return R(r, 0) * u[0] + R(r, 1) * u[1] + R(r, 2) * u[2]; };
  const Lanes<S> fx = turned(y.forces, 0), fy = turned(y.forces, 1), fz = turned(y.forces, 2);
  const Lanes<S> nx = turned(y.moments, 0), ny = turned(y.moments, 1), nz = turned(y.moments, 2);
  const Lanes<S> dx = lanes(d[0], w[0], d[0], d[0]), dy = lanes(d[1], w[1], d[1], d[1]), dz = lanes(d[2], w[2], d[2], d[2]);
  y.forces[0] = fx, y.forces[1] = fy, y.forces[2] = fz;
  y.moments[0] = nx + dy * fz - dz * fy;
  y.moments[1] = ny + dz * fx - dx * fz;
  y.moments[2] = nz + dx * fy - dy * fx;
}

namespace detail {

template <class S>
Vec3<S> lane(const Vec3<Lanes<S>>& y, int k) {
  return {{y[0][k], y[1][k], y[2][k]}};
}

template <class S>
Wave<S> wave(const Vec3<S>& f, const Vec3<S>& n, const Vec3<S>& k, const Vec3<S>& Fq, const Vec3<S>& Nq, const Vec3<S>& Fv,
             const Vec3<S>& Nv) {
  Wave<S> y;
  for (int r = 0; r < 3; ++r) {
    y.forces[r] = lanes(f[r], f[r], Fq[r], Fv[r]);
    y.moments[r] = lanes(n[r], k[r], Nq[r], Nv[r]);
  }
  return y;
}

/// (tr Σ 1 − Σ) y for Σ by rows; Σ symmetric.
template <class S, class T>
Vec3<S> inertia_times(const Lanes<S>* s, const Vec3<T>& y) {
  const S xx = s[1][1] + s[2][2], yy = s[0][0] + s[2][2], zz = s[0][0] + s[1][1];
  return {{xx * y[0] - s[0][1] * y[1] - s[0][2] * y[2], yy * y[1] - s[0][1] * y[0] - s[1][2] * y[2],
           zz * y[2] - s[0][2] * y[0] - s[1][2] * y[1]}};
}
/// Q y with Q = tr(G) 1 − Gᵀ.
template <class S, class T>
Vec3<S> q_times(const Lanes<S>* g, const Vec3<T>& y) {
  const S xx = g[1][1] + g[2][2], yy = g[0][0] + g[2][2], zz = g[0][0] + g[1][1];
  return {{xx * y[0] - g[1][0] * y[1] - g[2][0] * y[2], yy * y[1] - g[0][1] * y[0] - g[2][1] * y[2],
           zz * y[2] - g[0][2] * y[0] - g[1][2] * y[1]}};
}
/// Qᵀ y.
template <class S, class T>
Vec3<S> qt_times(const Lanes<S>* g, const Vec3<T>& y) {
  const S xx = g[1][1] + g[2][2], yy = g[0][0] + g[2][2], zz = g[0][0] + g[1][1];
  return {{xx * y[0] - g[0][1] * y[1] - g[0][2] * y[2], yy * y[1] - g[1][0] * y[0] - g[1][2] * y[2],
           zz * y[2] - g[2][0] * y[0] - g[2][1] * y[1]}};
}
template <class S>
Vec3<S> column(const Mat3<S>& A, int c) {
  return {{A(0, c), A(1, c), A(2, c)}};
}
template <class T>
T twice(const T& y) {
  return y + y;
}
/// e_z × y.
template <class S>
Vec3<S> ez_cross(const Vec3<S>& y) {
  return {{-y[1], y[0], S(0.0)}};
}

/// About e_z: z' = ω × e_z, z'' = U e_z =: u,
///   δF_q = u × h + 2 z' × p + z × (F − m a)      δN_q = I u + 2 Q z' + z × N − h × (z × a)
///   δF_v = 2 (z' × h + z × p)                    δN_v = 2 (I z' + Q z)
///   f = z × h,  n = I z,  k = Qᵀ z
template <class S>
[[gnu::always_inline]] inline Wave<S> revolute_wave(const BodyMoments<S>& x, Constant<S> m) {
  const Vec3<S> h = x.h(), p = x.p(), u = column(x.motion.U, 2);
  const Vec3<S> z1{{x.motion.w[1], -x.motion.w[0], S(0.0)}};
  const Lanes<S>*s = x.second, *g = x.rate;
  const Vec3<S> n{{-s[0][2], -s[1][2], s[0][0] + s[1][1]}};
  const S trace = g[0][0] + g[1][1];
  const Vec3<S> k{{-g[0][2], -g[1][2], trace}}, Qz{{-g[2][0], -g[2][1], trace}};
  const Vec3<S> z1xh{{z1[1] * h[2], -(z1[0] * h[2]), z1[0] * h[1] - z1[1] * h[0]}};
  const Vec3<S> z1xp{{z1[1] * p[2], -(z1[0] * p[2]), z1[0] * p[1] - z1[1] * p[0]}};
  const S xx = s[1][1] + s[2][2], yy = s[0][0] + s[2][2];
  const Vec3<S> Iz1{{xx * z1[0] - s[0][1] * z1[1], yy * z1[1] - s[0][1] * z1[0], -(s[0][2] * z1[0] + s[1][2] * z1[1])}};
  const S gx = g[1][1] + g[2][2], gy = g[0][0] + g[2][2];
  const Vec3<S> Qz1{{gx * z1[0] - g[1][0] * z1[1], gy * z1[1] - g[0][1] * z1[0], -(g[0][2] * z1[0] + g[1][2] * z1[1])}};
  const Vec3<S> za = ez_cross(x.motion.a);
  const Vec3<S> hza{{-(h[2] * za[1]), h[2] * za[0], h[0] * za[1] - h[1] * za[0]}};
  return wave<S>(ez_cross(h), n, k, cross(u, h) + twice(z1xp) + ez_cross(x.F()) - m * za,
                 inertia_times(s, u) + twice(Qz1) + ez_cross(x.N()) - hza, twice(z1xh + ez_cross(p)), twice(Iz1 + Qz));
}

/// Along l = e_z: l' = ω × l, l'' = U l,
///   δF_q = m l''  δN_q = h × l'' + l × F  δF_v = 2 m l'  δN_v = 2 h × l'  f = m l  n = h × l  k = p × l
template <class S>
Wave<S> prismatic_wave(const BodyMoments<S>& x, Constant<S> m) {
  const Vec3<S> h = x.h(), p = x.p(), l2 = column(x.motion.U, 2);
  const Vec3<S> l1{{x.motion.w[1], -x.motion.w[0], S(0.0)}};
  return wave<S>({{S(0.0), S(0.0), S(m)}}, -ez_cross(h), -ez_cross(p), m * l2, cross(h, l2) + ez_cross(x.F()), m * twice(l1),
                 twice(cross(h, l1)));
}

/// Any freedom, rates relative to the point c of the parent: p_c = p + m v_J, Q_c = Q + (h·v_J) 1 − v_J hᵀ,
///   δF_q = z'' × h + 2 z' × p_c + z × F + m L2     δN_q = I z'' + 2 Q_c z' + z × N + h × L2 + l × F
///   δF_v = Zv × h + 2 z × p + m Lv                 δN_v = I Zv + 2 Q z + h × Lv
///   f = z × h + m l,  n = I z + h × l,  k = Qᵀ z + p × l
template <class S>
Wave<S> screw_wave(const BodyMoments<S>& x, const Screw<S>& e, Constant<S> m) {
  const Vec3<S> h = x.h(), p = x.p(), F = x.F();
  const Vec3<S> Qc_z1 = q_times(x.rate, e.z1) + dot(h, x.v_joint) * e.z1 - dot(h, e.z1) * x.v_joint;
  return wave<S>(cross(e.z, h) + m * e.l, inertia_times(x.second, e.z) + cross(h, e.l), qt_times(x.rate, e.z) + cross(p, e.l),
                 cross(e.z2, h) + twice(cross(e.z1, p + m * x.v_joint)) + cross(e.z, F) + m * e.L2,
                 inertia_times(x.second, e.z2) + twice(Qc_z1) + cross(e.z, x.N()) + cross(h, e.L2) + cross(e.l, F),
                 cross(e.Zv, h) + twice(cross(e.z, p)) + m * e.Lv,
                 inertia_times(x.second, e.Zv) + twice(q_times(x.rate, e.z)) + cross(h, e.Lv));
}

/// The screws of a joint without a fixed axis.
template <class S>
void find_screws(const Body& body, const BodyMoments<S>& x, Screw<S>* screws) {
  const Vec3<S> sum = x.motion.w + x.parent.w;
  for (int c = 0; c < freedoms(body.joint); ++c) {
    const Motion<Constant<S>> e = cast<Constant<S>>(motion_subspace(body, c));
    screws[c] = {e.w,
                 e.v,
                 cross(x.parent.w, e.w),
                 x.parent.U * e.w,
                 x.parent.U * e.v - cross(e.w, x.parent.a),
                 cross(sum, e.w),
                 cross(sum, e.v) + cross(e.w, x.v_joint)};
  }
}

}  // namespace detail

/// The wave of freedom c of body i; m: mass below the joint. Screws must have been found where the joint needs them.
template <class S>
[[gnu::always_inline]] inline Wave<S> wave_of(const Body& body, const MomentWorkspace<S>& ws, int i, int c) {
  const BodyMoments<S>& x = ws.bodies[i];
  if (body.joint == BodyJoint::revolute) return detail::revolute_wave(x, ws.mass[i]);
  if (body.joint == BodyJoint::prismatic) return detail::prismatic_wave(x, ws.mass[i]);
  return detail::screw_wave(x, ws.screws[body.v + c], ws.mass[i]);
}

}  // namespace sparsedyn
