// Bicomplex numbers z = a + b j, with a and b complex (unit i) and i² = j² = −1, ij = ji. A step of h in both units gives a
// second derivative without a difference: the part of f(x + h i + h j) along ij is h² f''(x), up to terms of h⁴
// (Lantoine, Russell & Dargent, Using multicomplex variables for automatic computation of high-order derivatives, 2012).
#pragma once

#include <cmath>
#include <complex>

#include "sparsedyn/scalar/detail/traits.hpp"

namespace sparsedyn {

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
/// x / y = x (a − b j) / (a² + b²) for y = a + b j.
inline Bicomplex operator/(const Bicomplex& x, const Bicomplex& y) {
  const Bicomplex::Complex norm = detail::times(y.a, y.a) + detail::times(y.b, y.b);
  const Bicomplex product = x * Bicomplex(y.a, -y.b);
  return {product.a / norm, product.b / norm};
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
/// tanh(a + b j) = (t + u j) / (1 + t u j) with t = tanh a and u = tan b, since tanh(b j) = j tan b.
inline Bicomplex tanh(const Bicomplex& x) {
  const Bicomplex::Complex t = std::tanh(x.a), u = std::tan(x.b);
  return Bicomplex(t, u) / Bicomplex(1.0, detail::times(t, u));
}

/// Judged by its value.
template <>
struct Magnitude<Bicomplex> {
  static constexpr bool exists = true;                                  // it has one value
  static double of(const Bicomplex& x) { return std::fabs(x.real()); }  // |value|
};

}  // namespace sparsedyn
