// Numbers that carry derivatives through any of the algorithms, which are templates on the scalar: dual numbers, and bicomplex
// ones for second derivatives by a complex step.
//
// Forward-mode dual numbers x + Σ d_k ε_k with ε_i ε_k = 0: the d_k of a result are its exact first derivatives in the
// directions seeded (Clifford 1871; Griewank & Walther, Evaluating Derivatives, 2008, ch. 3). S may itself be a dual number:
// then the derivatives of derivatives come along.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/complex_tanh.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"

namespace sparsedyn {

/// A value and its derivatives in N directions.
template <class S = double, int N = 1>
struct Dual {
  S x{};                 // the value
  std::array<S, N> d{};  // its derivatives

  /// Zero.
  Dual() = default;
  /// A constant.
  Dual(double constant) : x(constant) {  // a constant: no derivative; implicit, as robot constants mix with the state
    for (auto& part : d) part = S(0.0);
  }
  /// From its parts.
  Dual(const S& value, const std::array<S, N>& derivatives) : x(value), d(derivatives) {}
};

inline namespace SPARSEDYN_CODE {

/// The k-th of N independent variables.
template <class S = double, int N = 1>
Dual<S, N> dual_variable(const S& value, int k = 0) {
  Dual<S, N> r(0.0);
  r.x = value;
  r.d[k] = S(1.0);
  return r;
}

/// g(a) with slope g'(a).
template <class S, int N>
Dual<S, N> chain(const Dual<S, N>& a, const S& value, const S& slope) {
  Dual<S, N> r;
  r.x = value;
  for (int k = 0; k < N; ++k) r.d[k] = slope * a.d[k];
  return r;
}

/// Arithmetic by the rules of sum, product and quotient.
/// @{
template <class S, int N>
Dual<S, N> operator+(const Dual<S, N>& a, const Dual<S, N>& b) {
  Dual<S, N> r;
  r.x = a.x + b.x;
  for (int k = 0; k < N; ++k) r.d[k] = a.d[k] + b.d[k];
  return r;
}
template <class S, int N>
Dual<S, N> operator-(const Dual<S, N>& a, const Dual<S, N>& b) {
  Dual<S, N> r;
  r.x = a.x - b.x;
  for (int k = 0; k < N; ++k) r.d[k] = a.d[k] - b.d[k];
  return r;
}
template <class S, int N>
Dual<S, N> operator*(const Dual<S, N>& a, const Dual<S, N>& b) {
  Dual<S, N> r;
  r.x = a.x * b.x;
  for (int k = 0; k < N; ++k) r.d[k] = a.d[k] * b.x + a.x * b.d[k];
  return r;
}
template <class S, int N>
Dual<S, N> operator/(const Dual<S, N>& a, const Dual<S, N>& b) {
  Dual<S, N> r;
  r.x = a.x / b.x;
  for (int k = 0; k < N; ++k) r.d[k] = (a.d[k] - r.x * b.d[k]) / b.x;
  return r;
}
template <class S, int N>
Dual<S, N> operator-(const Dual<S, N>& a) {
  return chain(a, -a.x, S(-1.0));
}
/// @}

// With a constant.
/// The same with a constant, whose derivatives are zero.
/// @{
template <class S, int N>
Dual<S, N> operator+(const Dual<S, N>& a, double b) {
  return {a.x + b, a.d};
}
template <class S, int N>
Dual<S, N> operator+(double a, const Dual<S, N>& b) {
  return b + a;
}
template <class S, int N>
Dual<S, N> operator-(const Dual<S, N>& a, double b) {
  return {a.x - b, a.d};
}
template <class S, int N>
Dual<S, N> operator-(double a, const Dual<S, N>& b) {
  return chain(b, a - b.x, S(-1.0));
}
template <class S, int N>
Dual<S, N> operator*(const Dual<S, N>& a, double b) {
  return chain(a, a.x * b, S(b));
}
template <class S, int N>
Dual<S, N> operator*(double a, const Dual<S, N>& b) {
  return b * a;
}
template <class S, int N>
Dual<S, N> operator/(const Dual<S, N>& a, double b) {
  return chain(a, a.x / b, S(1.0 / b));
}
template <class S, int N>
Dual<S, N> operator/(double a, const Dual<S, N>& b) {
  const S value = a / b.x;
  return chain(b, value, -value / b.x);
}
/// @}

/// In place; b: a dual number or a constant.
/// @{
template <class S, int N, class T>
Dual<S, N>& operator+=(Dual<S, N>& a, const T& b) {
  return a = a + b;
}
template <class S, int N, class T>
Dual<S, N>& operator-=(Dual<S, N>& a, const T& b) {
  return a = a - b;
}
template <class S, int N, class T>
Dual<S, N>& operator*=(Dual<S, N>& a, const T& b) {
  return a = a * b;
}
template <class S, int N, class T>
Dual<S, N>& operator/=(Dual<S, N>& a, const T& b) {
  return a = a / b;
}
/// @}

/// By the chain rule.
/// @{
template <class S, int N>
Dual<S, N> sin(const Dual<S, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, S(sin(a.x)), S(cos(a.x)));
}
template <class S, int N>
Dual<S, N> cos(const Dual<S, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, S(cos(a.x)), S(-sin(a.x)));
}
template <class S, int N>
Dual<S, N> sqrt(const Dual<S, N>& a) {
  using std::sqrt;
  const S root = sqrt(a.x);
  return chain(a, root, S(0.5 / root));
}
template <class S, int N>
Dual<S, N> tanh(const Dual<S, N>& a) {
  const S t = tanh_of(a.x);
  return chain(a, t, S(1.0 - t * t));
}
/// @}

}  // namespace SPARSEDYN_CODE

/// Judged by its value.
template <class S, int N>
struct Magnitude<Dual<S, N>> {
  static constexpr bool exists = true;                                     // it has one value
  static double of(const Dual<S, N>& a) { return Magnitude<S>::of(a.x); }  // |value|
};

// Bicomplex numbers z = a + b j, with a and b complex (unit i) and i² = j² = −1, ij = ji. A step of h in both units gives a
// second derivative without a difference: the part of f(x + h i + h j) along ij is h² f''(x), up to terms of h⁴
// (Lantoine, Russell & Dargent, Using multicomplex variables for automatic computation of high-order derivatives, 2012).

/// a + b j. With a step of 1e-20, say, nothing but rounding is left of a second derivative.
struct Bicomplex {
  using Complex = std::complex<double>;  // unit i
  Complex a{0.0, 0.0};                   // free of j
  Complex b{0.0, 0.0};                   // times j

  /// Zero.
  Bicomplex() = default;
  /// Implicit: the constants of a robot mix with the state.
  Bicomplex(double constant) : a(constant, 0.0) {}
  /// first + second j.
  Bicomplex(const Complex& first, const Complex& second) : a(first), b(second) {}

  double real() const { return a.real(); }  // the value
  double i() const { return a.imag(); }     // the part along i
  double j() const { return b.real(); }     // the part along j
  double ij() const { return b.imag(); }    // the part along ij
};

namespace detail {
/// The product without the library's rescue of infinities, which costs a call for each product.
inline Bicomplex::Complex times(const Bicomplex::Complex& x, const Bicomplex::Complex& y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
}  // namespace detail

/// Arithmetic with i² = j² = −1, ij = ji.
/// @{
inline Bicomplex operator+(const Bicomplex& x, const Bicomplex& y) { return {x.a + y.a, x.b + y.b}; }
inline Bicomplex operator-(const Bicomplex& x, const Bicomplex& y) { return {x.a - y.a, x.b - y.b}; }
inline Bicomplex operator-(const Bicomplex& x) { return {-x.a, -x.b}; }
inline Bicomplex operator*(const Bicomplex& x, const Bicomplex& y) {
  return {detail::times(x.a, y.a) - detail::times(x.b, y.b), detail::times(x.a, y.b) + detail::times(x.b, y.a)};
}
/// @}
/// x / y = x (a − b j) / (a² + b²) for y = a + b j. A power of two is taken out of y first, whose squares may be no numbers.
inline Bicomplex operator/(const Bicomplex& x, const Bicomplex& y) {
  int exponent = 0;
  std::frexp(std::fabs(y.real()) + std::fabs(y.i()) + std::fabs(y.j()) + std::fabs(y.ij()), &exponent);
  const double out = std::ldexp(1.0, -std::min(std::max(exponent, -1000), 1000));
  const Bicomplex::Complex a = out * y.a, b = out * y.b, norm = detail::times(a, a) + detail::times(b, b);
  const Bicomplex product = x * Bicomplex(a, -b);
  return {out * (product.a / norm), out * (product.b / norm)};
}

/// The same with a constant, and in place.
/// @{
inline Bicomplex operator+(const Bicomplex& x, double y) { return {x.a + y, x.b}; }
inline Bicomplex operator+(double x, const Bicomplex& y) { return {x + y.a, y.b}; }
inline Bicomplex operator-(const Bicomplex& x, double y) { return {x.a - y, x.b}; }
inline Bicomplex operator-(double x, const Bicomplex& y) { return {x - y.a, -y.b}; }
inline Bicomplex operator*(const Bicomplex& x, double y) { return {x.a * y, x.b * y}; }
inline Bicomplex operator*(double x, const Bicomplex& y) { return {x * y.a, x * y.b}; }
inline Bicomplex operator/(const Bicomplex& x, double y) { return {x.a / y, x.b / y}; }
inline Bicomplex operator/(double x, const Bicomplex& y) { return Bicomplex(x) / y; }

template <class T>
Bicomplex& operator+=(Bicomplex& x, const T& y) {
  return x = x + y;
}
template <class T>
Bicomplex& operator-=(Bicomplex& x, const T& y) {
  return x = x - y;
}
template <class T>
Bicomplex& operator*=(Bicomplex& x, const T& y) {
  return x = x * y;
}
template <class T>
Bicomplex& operator/=(Bicomplex& x, const T& y) {
  return x = x / y;
}
/// @}

/// sin(a + b j) = sin a cosh b + cos a sinh b j, since cos(b j) = cosh b and sin(b j) = sinh b j.
inline Bicomplex sin(const Bicomplex& x) { return {std::sin(x.a) * std::cosh(x.b), std::cos(x.a) * std::sinh(x.b)}; }
/// cos(a + b j) = cos a cosh b − sin a sinh b j.
inline Bicomplex cos(const Bicomplex& x) { return {std::cos(x.a) * std::cosh(x.b), -std::sin(x.a) * std::sinh(x.b)}; }
/// On the idempotents (1 ± ij)/2 a bicomplex number is the pair of complex numbers a ∓ b i; with p, q their roots the root is
/// (p + q)/2 + (p − q)/2 ij, and i (p − q)/2 = b / (p + q), which does not cancel.
inline Bicomplex sqrt(const Bicomplex& x) {
  const Bicomplex::Complex unit(0.0, 1.0);
  const Bicomplex::Complex sum = std::sqrt(x.a - unit * x.b) + std::sqrt(x.a + unit * x.b);
  return {0.5 * sum, x.b / sum};
}
/// tanh(a + b j) = (t (1 + u²) + u (1 − t²) j) / (1 + t² u²) with t = tanh a and u = tan b, since tanh(b j) = j tan b.
inline Bicomplex tanh(const Bicomplex& x) {
  using detail::times;
  const Bicomplex::Complex t = complex_tanh(x.a), u = std::tan(x.b), tu = times(t, u), below = 1.0 + times(tu, tu);
  return {times(t, 1.0 + times(u, u)) / below, times(u, complex_sech_squared(x.a)) / below};
}

/// Judged by its value.
template <>
struct Magnitude<Bicomplex> {
  static constexpr bool exists = true;                                  // it has one value
  static double of(const Bicomplex& x) { return std::fabs(x.real()); }  // |value|
};

}  // namespace sparsedyn

// Last, for it needs all of the above; and always, for whoever has lanes of dual numbers must have the same ones.
#include "sparsedyn/scalar/detail/dual_simd.hpp"
