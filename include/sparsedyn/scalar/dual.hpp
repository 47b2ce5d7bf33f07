// Forward-mode dual numbers x + Σ d_k ε_k with ε_i ε_k = 0: the d_k of a result are its exact first derivatives in the
// directions seeded (Clifford 1871; Griewank & Walther, Evaluating Derivatives, 2008, ch. 3). S may itself be a dual number:
// then the derivatives of derivatives come along.
#pragma once

#include <array>
#include <cmath>

#include "sparsedyn/detail/code.hpp"
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
  using std::tanh;
  const S t = tanh(a.x);
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

}  // namespace sparsedyn

// Last, for it needs all of the above; and always, for whoever has lanes of dual numbers must have the same ones.
#include "sparsedyn/scalar/detail/dual_simd.hpp"
