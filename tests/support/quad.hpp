// Arithmetic of 113 bits (34 digits), to judge double by: a scalar that the algorithms' templates accept.
#pragma once

#include "sparsedyn/scalar/detail/traits.hpp"

namespace sparsedyn::test {

__extension__ typedef __float128 Float128;

struct Quad {
  Float128 x;

  Quad() : x(0) {}
  Quad(double value) : x(value) {}  // implicit: a robot's constants mix with the state
  struct Exactly {};
  Quad(Exactly, Float128 value) : x(value) {}
  explicit operator double() const { return static_cast<double>(x); }

  friend Quad operator+(const Quad& a, const Quad& b) { return {Exactly{}, a.x + b.x}; }
  friend Quad operator-(const Quad& a, const Quad& b) { return {Exactly{}, a.x - b.x}; }
  friend Quad operator*(const Quad& a, const Quad& b) { return {Exactly{}, a.x * b.x}; }
  friend Quad operator/(const Quad& a, const Quad& b) { return {Exactly{}, a.x / b.x}; }
  friend Quad operator-(const Quad& a) { return {Exactly{}, -a.x}; }
  friend Quad& operator+=(Quad& a, const Quad& b) { return a = a + b; }
  friend Quad& operator-=(Quad& a, const Quad& b) { return a = a - b; }
  friend Quad& operator*=(Quad& a, const Quad& b) { return a = a * b; }
  friend Quad& operator/=(Quad& a, const Quad& b) { return a = a / b; }
  friend bool operator<(const Quad& a, const Quad& b) { return a.x < b.x; }
  friend bool operator>(const Quad& a, const Quad& b) { return a.x > b.x; }
  friend bool operator<=(const Quad& a, const Quad& b) { return a.x <= b.x; }
  friend bool operator>=(const Quad& a, const Quad& b) { return a.x >= b.x; }
  friend bool operator==(const Quad& a, const Quad& b) { return a.x == b.x; }
  friend bool operator!=(const Quad& a, const Quad& b) { return a.x != b.x; }
};

Quad sin(const Quad& a);
Quad cos(const Quad& a);
Quad tanh(const Quad& a);
Quad sqrt(const Quad& a);
Quad atan2(const Quad& y, const Quad& x);
inline Quad abs(const Quad& a) { return a.x < 0 ? -a : a; }
inline Quad fabs(const Quad& a) { return abs(a); }

}  // namespace sparsedyn::test

namespace sparsedyn {

template <>
struct Magnitude<test::Quad> {
  static constexpr bool exists = true;
  static double of(const test::Quad& x) { return std::fabs(static_cast<double>(x)); }
};

}  // namespace sparsedyn
