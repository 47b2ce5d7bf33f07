// Four scalars that always do the same: several three-vectors abreast in one Vec3<Lanes<S>>. For doubles on a machine with
// 256-bit registers one operation is one instruction; for any other scalar it is four operations.
#pragma once

#include <cstring>

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
template <class S>
Lanes<S> operator*(const S& s, const Lanes<S>& b) {
  return {{s * b[0], s * b[1], s * b[2], s * b[3]}};
}
template <class S>
Lanes<S> operator*(const Lanes<S>& a, const S& s) {
  return s * a;
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
#endif

}  // namespace sparsedyn
