// Three-vectors and 3x3 matrices whose operators mix scalars: a robot's constants stay `double` while the state is
// `double`, std::complex, a dual number, a counter or a recorded expression. (Eigen wants both factors of one type,
// and so would hide from the expression graph which numbers are constants.)
#pragma once

#include <type_traits>
#include <utility>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

/// The type of a product of scalars A and B: the richer of the two.
template <class A, class B>
using Product = decltype(std::declval<A>() * std::declval<B>());

/// The type in which a robot's constants enter computations with S: double, also for richer scalars; float for float.
template <class S>
using Constant = std::conditional_t<std::is_same_v<S, float>, float, double>;

/// Entry i is e[i].
template <class S>
struct Vec3 {
  S e[3];                                            // x, y, z
  S& operator[](int i) { return e[i]; }              // entry i
  const S& operator[](int i) const { return e[i]; }  // likewise
};

/// Entry (r, c) is e[r][c].
template <class S>
struct Mat3 {
  S e[3][3];                                                   // row by row
  S& operator()(int r, int c) { return e[r][c]; }              // entry (r, c)
  const S& operator()(int r, int c) const { return e[r][c]; }  // likewise
};

/// A symmetric 3x3 matrix by its upper triangle.
template <class S>
struct Sym3 {
  S xx, xy, xz, yy, yz, zz;  // its entries
};

inline namespace SPARSEDYN_CODE {

/// The zero vector.
template <class S>
Vec3<S> zero3() {
  return {{S(0.0), S(0.0), S(0.0)}};
}

/// The identity.
template <class S>
Mat3<S> identity3() {
  return {{{S(1.0), S(0.0), S(0.0)}, {S(0.0), S(1.0), S(0.0)}, {S(0.0), S(0.0), S(1.0)}}};
}

/// The same numbers in another scalar.
/// @{
template <class T, class S>
Vec3<T> cast(const Vec3<S>& a) {
  return {{T(a[0]), T(a[1]), T(a[2])}};
}

template <class T, class S>
Mat3<T> cast(const Mat3<S>& a) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = T(a(i, k));
  return r;
}

template <class T, class S>
Sym3<T> cast(const Sym3<S>& a) {
  return {T(a.xx), T(a.xy), T(a.xz), T(a.yy), T(a.yz), T(a.zz)};
}
/// @}

// --- vectors

/// a + b.
template <class A, class B>
Vec3<Product<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
}
/// a − b.
template <class A, class B>
Vec3<Product<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}
/// −a.
template <class A>
Vec3<A> operator-(const Vec3<A>& a) {
  return {{-a[0], -a[1], -a[2]}};
}
/// s b.
template <class A, class B>
Vec3<Product<A, B>> operator*(const A& s, const Vec3<B>& b) {
  return {{s * b[0], s * b[1], s * b[2]}};
}
/// a becomes a + b.
template <class A, class B>
Vec3<A>& operator+=(Vec3<A>& a, const Vec3<B>& b) {
  a = a + b;
  return a;
}
/// a becomes a − b.
template <class A, class B>
Vec3<A>& operator-=(Vec3<A>& a, const Vec3<B>& b) {
  a = a - b;
  return a;
}
/// aᵀ b.
template <class A, class B>
Product<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// a × b.
template <class A, class B>
Vec3<Product<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

// --- matrices

/// a b.
template <class A, class B>
Vec3<Product<A, B>> operator*(const Mat3<A>& a, const Vec3<B>& b) {
  Vec3<Product<A, B>> r;
  for (int i = 0; i < 3; ++i) r[i] = a(i, 0) * b[0] + a(i, 1) * b[1] + a(i, 2) * b[2];
  return r;
}
/// aᵀ b without forming aᵀ.
template <class A, class B>
Vec3<Product<A, B>> transposed_times(const Mat3<A>& a, const Vec3<B>& b) {
  Vec3<Product<A, B>> r;
  for (int i = 0; i < 3; ++i) r[i] = a(0, i) * b[0] + a(1, i) * b[1] + a(2, i) * b[2];
  return r;
}
/// a b.
template <class A, class B>
Mat3<Product<A, B>> operator*(const Mat3<A>& a, const Mat3<B>& b) {
  Mat3<Product<A, B>> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = a(i, 0) * b(0, k) + a(i, 1) * b(1, k) + a(i, 2) * b(2, k);
  return r;
}
/// a + b.
template <class A, class B>
Mat3<Product<A, B>> operator+(const Mat3<A>& a, const Mat3<B>& b) {
  Mat3<Product<A, B>> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = a(i, k) + b(i, k);
  return r;
}
/// a − b.
template <class A, class B>
Mat3<Product<A, B>> operator-(const Mat3<A>& a, const Mat3<B>& b) {
  Mat3<Product<A, B>> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = a(i, k) - b(i, k);
  return r;
}
/// aᵀ.
template <class A>
Mat3<A> transpose(const Mat3<A>& a) {
  return {{{a(0, 0), a(1, 0), a(2, 0)}, {a(0, 1), a(1, 1), a(2, 1)}, {a(0, 2), a(1, 2), a(2, 2)}}};
}
/// The matrix of a cross product: hat(a) b = a × b.
template <class A>
Mat3<A> hat(const Vec3<A>& a) {
  return {{{A(0.0), -a[2], a[1]}, {a[2], A(0.0), -a[0]}, {-a[1], a[0], A(0.0)}}};
}

// --- symmetric matrices

/// a b.
template <class A, class B>
Vec3<Product<A, B>> operator*(const Sym3<A>& a, const Vec3<B>& b) {
  return {{a.xx * b[0] + a.xy * b[1] + a.xz * b[2], a.xy * b[0] + a.yy * b[1] + a.yz * b[2],
           a.xz * b[0] + a.yz * b[1] + a.zz * b[2]}};
}
/// a + b.
template <class A, class B>
Sym3<Product<A, B>> operator+(const Sym3<A>& a, const Sym3<B>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
/// With all nine entries.
template <class A>
Mat3<A> dense(const Sym3<A>& a) {
  return {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
}
/// tr(a) 1 − a: from second moments to the inertia tensor. (Back: tr(I)/2 1 − I.)
template <class A>
Sym3<A> trace_minus(const Sym3<A>& a) {
  return {a.yy + a.zz, -a.xy, -a.xz, a.xx + a.zz, -a.yz, a.xx + a.yy};
}
/// R a Rᵀ.
template <class A, class B>
Sym3<Product<A, B>> rotated(const Mat3<A>& R, const Sym3<B>& a) {
  const auto RA = R * dense(a);
  auto entry = [&](int i, int k) { return RA(i, 0) * R(k, 0) + RA(i, 1) * R(k, 1) + RA(i, 2) * R(k, 2); };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
