// Four scalars that always do the same: several three-vectors side by side in one Vec3<Lanes<S>>. For doubles on a machine with
// 256-bit registers one operation is one instruction; for any other scalar it is four operations.
#pragma once

#include <cstring>
#include <type_traits>

namespace sparsedyn {

template <class S>
struct Lanes {
  S e[4];
  const S& operator[](int i) const { return e[i]; }
};

template <class S>
Lanes<S> lanes(const S& a, const S& b, const S& c, const S& d) {
  return {{a, b, c, d}};
}
/// Four neighbours in memory, of any alignment.
template <class S>
Lanes<S> load(const S* from) {
  return {{from[0], from[1], from[2], from[3]}};
}
template <class S>
void store(const Lanes<S>& a, S* to) {
  for (int i = 0; i < 4; ++i) to[i] = a[i];
}
template <class S>
Lanes<S> operator+(const Lanes<S>& a, const Lanes<S>& b) {
  return {{a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}};
}
template <class S>
Lanes<S> operator-(const Lanes<S>& a, const Lanes<S>& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]}};
}
/// Lane by lane.
template <class S>
Lanes<S> operator*(const Lanes<S>& a, const Lanes<S>& b) {
  return {{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}};
}
/// s: a scalar, or a number that converts to one.
template <class S>
Lanes<S> operator*(const std::common_type_t<S>& s, const Lanes<S>& b) {
  return lanes(S(s * b[0]), S(s * b[1]), S(s * b[2]), S(s * b[3]));
}
template <class S>
Lanes<S> operator*(const Lanes<S>& a, const std::common_type_t<S>& s) {
  return s * a;
}
template <class S>
Lanes<S> operator-(const Lanes<S>& a) {
  return lanes(S(-a[0]), S(-a[1]), S(-a[2]), S(-a[3]));
}
/// Lane k of a, b, c, d: entry k of the result.
template <class S>
void transpose(Lanes<S>& a, Lanes<S>& b, Lanes<S>& c, Lanes<S>& d) {
  const Lanes<S> rows[4] = {a, b, c, d};
  Lanes<S>* columns[4] = {&a, &b, &c, &d};
  for (int k = 0; k < 4; ++k) *columns[k] = lanes(S(rows[0][k]), S(rows[1][k]), S(rows[2][k]), S(rows[3][k]));
}
#if defined(__GNUC__) && defined(__AVX__)
// The compiler's own vector type, with the alignment of a double so that the layout is that of the general case.
template <>
struct Lanes<double> {
  typedef double Four __attribute__((vector_size(32), aligned(8)));
  Four e;
  double operator[](int i) const { return e[i]; }
};
[[gnu::always_inline]] inline Lanes<double> load(const double* from) {
  Lanes<double> r;
  std::memcpy(&r.e, from, sizeof r.e);
  return r;
}
[[gnu::always_inline]] inline void store(const Lanes<double>& a, double* to) { std::memcpy(to, &a.e, sizeof a.e); }
[[gnu::always_inline]] inline Lanes<double> lanes(double a, double b, double c, double d) {
  return {Lanes<double>::Four{a, b, c, d}};
}
[[gnu::always_inline]] inline Lanes<double> operator+(const Lanes<double>& a, const Lanes<double>& b) { return {a.e + b.e}; }
[[gnu::always_inline]] inline Lanes<double> operator-(const Lanes<double>& a, const Lanes<double>& b) { return {a.e - b.e}; }
[[gnu::always_inline]] inline Lanes<double> operator*(const Lanes<double>& a, const Lanes<double>& b) { return {a.e * b.e}; }
[[gnu::always_inline]] inline Lanes<double> operator*(double s, const Lanes<double>& b) { return {s * b.e}; }
[[gnu::always_inline]] inline Lanes<double> operator*(const Lanes<double>& a, double s) { return {s * a.e}; }
[[gnu::always_inline]] inline Lanes<double> operator-(const Lanes<double>& a) { return {-a.e}; }
[[gnu::always_inline]] inline void transpose(Lanes<double>& a, Lanes<double>& b, Lanes<double>& c, Lanes<double>& d) {
  const auto ab0 = __builtin_shufflevector(a.e, b.e, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a.e, b.e, 1, 5, 3, 7);
  const auto cd0 = __builtin_shufflevector(c.e, d.e, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c.e, d.e, 1, 5, 3, 7);
  a.e = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5), b.e = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  c.e = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7), d.e = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}
#endif

/// Zero as x is: a scalar, or lanes.
template <class S>
S zero_like(const S&) {
  return S(0.0);
}
template <class S>
Lanes<S> zero_like(const Lanes<S>&) {
  const S o(0.0);
  return lanes(o, o, o, o);
}

}  // namespace sparsedyn
