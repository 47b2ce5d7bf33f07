// Spatial vectors (angular first, in the link's own frame: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2),
// the pose that carries them between frames, and a body's inertia as ten numbers.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/spatial/vec3.hpp"

namespace sparsedyn {

/// Velocity or acceleration of a body: angular part w, linear part v at the frame's origin.
template <class S>
struct Motion {
  Vec3<S> w, v;  // angular (rad/s, rad/s²), linear (m/s, m/s²)
};

/// A wrench: moment n about the frame's origin and force f.
template <class S>
struct Force {
  Vec3<S> n, f;  // moment (N m), force (N)
};

/// A frame in its parent: a point x of the child is R x + d in the parent. Motions go down by iXp = (Rᵀ, −Rᵀ[d]×), wrenches
/// come back with its transpose.
template <class S>
struct Pose {
  Mat3<S> R;  // rotation, child to parent
  Vec3<S> d;  // origin in the parent (m)
};

inline namespace SPARSEDYN_CODE {

/// The frame of its parent itself.
template <class S>
Pose<S> identity_pose() {
  return {identity3<S>(), zero3<S>()};
}

/// The same in another scalar.
/// @{
template <class T, class S>
Pose<T> cast(const Pose<S>& p) {
  return {cast<T>(p.R), cast<T>(p.d)};
}
template <class T, class S>
Motion<T> cast(const Motion<S>& m) {
  return {cast<T>(m.w), cast<T>(m.v)};
}
template <class T, class S>
Force<T> cast(const Force<S>& f) {
  return {cast<T>(f.n), cast<T>(f.f)};
}
/// @}

/// Component by component; both in one frame.
/// @{
template <class A, class B>
Motion<Product<A, B>> operator+(const Motion<A>& a, const Motion<B>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class A, class B>
Motion<Product<A, B>> operator-(const Motion<A>& a, const Motion<B>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class A, class B>
Force<Product<A, B>> operator+(const Force<A>& a, const Force<B>& b) {
  return {a.n + b.n, a.f + b.f};
}
template <class A, class B>
Force<Product<A, B>> operator-(const Force<A>& a, const Force<B>& b) {
  return {a.n - b.n, a.f - b.f};
}
/// @}

/// a ∘ b: the pose of c in a's parent, where b is c's pose in a.
template <class A, class B>
Pose<Product<A, B>> operator*(const Pose<A>& a, const Pose<B>& b) {
  return {a.R * b.R, a.R * b.d + a.d};
}
/// The parent in the child: (Rᵀ, −Rᵀ d).
template <class A>
Pose<A> inverse(const Pose<A>& p) {
  return {transpose(p.R), -transposed_times(p.R, p.d)};
}

/// iXp m: the motion in the child's frame, w' = Rᵀ w, v' = Rᵀ (v + w × d).
template <class A, class B>
Motion<Product<A, B>> to_child(const Pose<A>& p, const Motion<B>& m) {
  return {transposed_times(p.R, m.w), transposed_times(p.R, m.v + cross(m.w, p.d))};
}
/// The motion in the parent's frame, the inverse of to_child.
template <class A, class B>
Motion<Product<A, B>> to_parent(const Pose<A>& p, const Motion<B>& m) {
  const auto w = p.R * m.w;
  return {w, p.R * m.v + cross(p.d, w)};
}
/// iXpᵀ x: the wrench in the parent's frame, f' = R f, n' = R n + d × f'.
template <class A, class B>
Force<Product<A, B>> to_parent(const Pose<A>& p, const Force<B>& x) {
  const auto f = p.R * x.f;
  return {p.R * x.n + cross(p.d, f), f};
}
/// The wrench in the child's frame, the inverse of to_parent.
template <class A, class B>
Force<Product<A, B>> to_child(const Pose<A>& p, const Force<B>& x) {
  return {transposed_times(p.R, x.n - cross(p.d, x.f)), transposed_times(p.R, x.f)};
}

/// v × m: rate of a motion vector m that is fixed in a frame moving with v.
template <class A, class B>
Motion<Product<A, B>> cross(const Motion<A>& v, const Motion<B>& m) {
  return {cross(v.w, m.w), cross(v.w, m.v) + cross(v.v, m.w)};
}
/// v ×* x: the same for a wrench.
template <class A, class B>
Force<Product<A, B>> cross(const Motion<A>& v, const Force<B>& x) {
  return {cross(v.w, x.n) + cross(v.v, x.f), cross(v.w, x.f)};
}
/// Power of wrench x on motion m (W).
template <class A, class B>
Product<A, B> dot(const Motion<A>& m, const Force<B>& x) {
  return dot(m.w, x.n) + dot(m.v, x.f);
}

}  // namespace SPARSEDYN_CODE

/// Ten numbers of a rigid body about its frame's origin: mass m (kg), first moments h = m c (kg m), second moments
/// Σ m ρρᵀ (kg m²), not the inertia tensor: second moments add, shift and rotate with fewer operations.
template <class S>
struct Inertia {
  S m;              // kg
  Vec3<S> h;        // kg m
  Sym3<S> moments;  // kg m²
};

inline namespace SPARSEDYN_CODE {

/// The same in another scalar.
template <class T, class S>
Inertia<T> cast(const Inertia<S>& I) {
  return {T(I.m), cast<T>(I.h), cast<T>(I.moments)};
}
/// Of no mass.
template <class S>
Inertia<S> zero_inertia() {
  return {S(0.0), zero3<S>(), {S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0)}};
}
/// Of two bodies together, in one frame.
template <class A, class B>
Inertia<Product<A, B>> operator+(const Inertia<A>& a, const Inertia<B>& b) {
  return {a.m + b.m, a.h + b.h, a.moments + b.moments};
}
/// I v: n = (tr Σ 1 − Σ) w + h × v, f = m v − h × w.
template <class A, class B>
Force<Product<A, B>> operator*(const Inertia<A>& I, const Motion<B>& v) {
  return {trace_minus(I.moments) * v.w + cross(I.h, v.v), I.m * v.v - cross(I.h, v.w)};
}
/// Σ' = Σ + h dᵀ + d (h + m d)ᵀ, h' = h + m d: moments about a point from which the old origin lies at d (same axes).
template <class A, class B>
Inertia<Product<A, B>> shifted(const Inertia<A>& I, const Vec3<B>& d) {
  const auto h = I.h + I.m * d;
  const auto& s = I.moments;
  const auto entry = [&](int i, int k) { return I.h[i] * d[k] + d[i] * h[k]; };
  return {
      I.m,
      h,
      {s.xx + entry(0, 0), s.xy + entry(0, 1), s.xz + entry(0, 2), s.yy + entry(1, 1), s.yz + entry(1, 2), s.zz + entry(2, 2)}};
}
/// The inertia in the parent's frame.
template <class A, class B>
Inertia<Product<A, B>> to_parent(const Pose<A>& p, const Inertia<B>& I) {
  return shifted(Inertia<Product<A, B>>{Product<A, B>(I.m), p.R * I.h, rotated(p.R, I.moments)}, p.d);
}

}  // namespace SPARSEDYN_CODE

/// From mass (kg), centre of mass c (m) and the inertia tensor about c (kg m²), as a URDF has them.
Inertia<double> inertia_about_com(double mass, const Vec3<double>& com, const Sym3<double>& tensor);

}  // namespace sparsedyn
