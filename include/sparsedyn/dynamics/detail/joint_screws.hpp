// The screws of a joint's freedoms, and the wrenches that a change of one freedom adds below the joint.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/moment_passes.hpp"
#include "sparsedyn/dynamics/detail/revolute_column.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Carries y one frame towards the base, in place: (f, n), (f, k), (F, N) are wrenches, but for k the shift's rate w counts.
template <class S>
[[gnu::always_inline]] inline void carry(const BodyMoments<S>& x, ForceColumnVectors<simd<S, 4>>& y) {
  const Mat3<S>& R = x.pose.R;
  const Vec3<S>&d = x.pose.d, &w = x.w;
  y.f = R * y.f;
  y.n = R * y.n + cross(d, y.f);
  y.k = R * y.k + cross(w, y.f);
  y.Fq = R * y.Fq;
  y.Nq = R * y.Nq + cross(d, y.Fq);
  y.Fv = R * y.Fv;
  y.Nv = R * y.Nv + cross(d, y.Fv);
}

/// Carries y one frame towards the base, in place: moments += d × forces, but with the shift's rate w for k.
template <class S>
[[gnu::always_inline]] inline void carry(const BodyMoments<S>& x, ForceColumn<S>& y) {
  const Mat3<S>& R = x.pose.R;
  const Vec3<S>&d = x.pose.d, &w = x.w;
  const auto turned = [&](const Vec3<simd<S, 4>>& u, int r) { return R(r, 0) * u[0] + R(r, 1) * u[1] + R(r, 2) * u[2]; };
  const simd<S, 4> fx = turned(y.forces, 0), fy = turned(y.forces, 1), fz = turned(y.forces, 2);
  const simd<S, 4> nx = turned(y.moments, 0), ny = turned(y.moments, 1), nz = turned(y.moments, 2);
  const simd<S, 4> dx = lanes(d[0], w[0], d[0], d[0]), dy = lanes(d[1], w[1], d[1], d[1]), dz = lanes(d[2], w[2], d[2], d[2]);
  y.forces[0] = fx, y.forces[1] = fy, y.forces[2] = fz;
  y.moments[0] = nx + dy * fz - dz * fy;
  y.moments[1] = ny + dz * fx - dx * fz;
  y.moments[2] = nz + dx * fy - dy * fx;
}

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

/// (tr Σ 1 − Σ) y for Σ by rows; Σ symmetric.
template <class S, class T>
Vec3<S> inertia_times(const SimdMemory<S, 4>* s, const Vec3<T>& y) {
  const S xx = s[1][1] + s[2][2], yy = s[0][0] + s[2][2], zz = s[0][0] + s[1][1];
  return {{xx * y[0] - s[0][1] * y[1] - s[0][2] * y[2], yy * y[1] - s[0][1] * y[0] - s[1][2] * y[2],
           zz * y[2] - s[0][2] * y[0] - s[1][2] * y[1]}};
}
/// Q y with Q = tr(G) 1 − Gᵀ.
template <class S, class T>
Vec3<S> q_times(const SimdMemory<S, 4>* g, const Vec3<T>& y) {
  const S xx = g[1][1] + g[2][2], yy = g[0][0] + g[2][2], zz = g[0][0] + g[1][1];
  return {{xx * y[0] - g[1][0] * y[1] - g[2][0] * y[2], yy * y[1] - g[0][1] * y[0] - g[2][1] * y[2],
           zz * y[2] - g[0][2] * y[0] - g[1][2] * y[1]}};
}
/// Qᵀ y.
template <class S, class T>
Vec3<S> qt_times(const SimdMemory<S, 4>* g, const Vec3<T>& y) {
  const S xx = g[1][1] + g[2][2], yy = g[0][0] + g[2][2], zz = g[0][0] + g[1][1];
  return {{xx * y[0] - g[0][1] * y[1] - g[0][2] * y[2], yy * y[1] - g[1][0] * y[0] - g[1][2] * y[2],
           zz * y[2] - g[2][0] * y[0] - g[2][1] * y[1]}};
}

/// Along l = e_z: l' = ω × l, l'' = U l,
///   δF_q = m l''  δN_q = h × l'' + l × F  δF_v = 2 m l'  δN_v = 2 h × l'  f = m l  n = h × l  k = p × l
template <class S>
ForceColumn<S> prismatic_column(const BodyMoments<S>& x, SubtreeMass<S> m) {
  const Vec3<S> h = x.h(), p = x.p(), l2 = column(x.motion.U, 2);
  const Vec3<S> l1{{x.motion.w[1], -x.motion.w[0], S(0.0)}};
  return packed<S>({{{S(0.0), S(0.0), S(m)}},
                    -ez_cross(h),
                    -ez_cross(p),
                    m * l2,
                    cross(h, l2) + ez_cross(x.F()),
                    m * twice(l1),
                    twice(cross(h, l1))});
}

/// Any freedom, rates relative to the point c of the parent: p_c = p + m v_J, Q_c = Q + (h·v_J) 1 − v_J hᵀ,
///   δF_q = z'' × h + 2 z' × p_c + z × F + m L2     δN_q = I z'' + 2 Q_c z' + z × N + h × L2 + l × F
///   δF_v = Zv × h + 2 z × p + m Lv                 δN_v = I Zv + 2 Q z + h × Lv
///   f = z × h + m l,  n = I z + h × l,  k = Qᵀ z + p × l
template <class S>
ForceColumn<S> screw_column(const BodyMoments<S>& x, const Screw<S>& e, SubtreeMass<S> m) {
  const Vec3<S> h = x.h(), p = x.p(), F = x.F();
  const Vec3<S> Qc_z1 = q_times(x.rate, e.z1) + dot(h, x.v_joint) * e.z1 - dot(h, e.z1) * x.v_joint;
  return packed<S>({cross(e.z, h) + m * e.l, inertia_times(x.second, e.z) + cross(h, e.l),
                    qt_times(x.rate, e.z) + cross(p, e.l),
                    cross(e.z2, h) + twice(cross(e.z1, p + m * x.v_joint)) + cross(e.z, F) + m * e.L2,
                    inertia_times(x.second, e.z2) + twice(Qc_z1) + cross(e.z, x.N()) + cross(h, e.L2) + cross(e.l, F),
                    cross(e.Zv, h) + twice(cross(e.z, p)) + m * e.Lv,
                    inertia_times(x.second, e.Zv) + twice(q_times(x.rate, e.z)) + cross(h, e.Lv)});
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

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// The force column of freedom c of body i; m: mass below the joint. Screws must have been found where the joint needs them.
template <class S>
[[gnu::always_inline]] inline ForceColumn<S> force_column_of(const Body& body, const MomentWorkspace<S>& ws, int i, int c) {
  const BodyMoments<S>& x = ws.bodies[i];
  if (body.joint == BodyJoint::revolute) return packed(revolute_column(revolute_moments(x, ws.mass[i])));
  if (body.joint == BodyJoint::prismatic) return detail::prismatic_column(x, ws.mass[i]);
  return detail::screw_column(x, ws.screws[body.v + c], ws.mass[i]);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
