// Four doubles in one register where the library is compiled for a machine with 256 bits. Only lanes.hpp includes this, and in
// the library's own build only: no user of the library ever sees these types.
#pragma once

#include <cstring>

#include "sparsedyn/scalar/detail/lanes.hpp"

#if defined(__GNUC__) && defined(__AVX__)
namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

// The compiler's own vector type, of any alignment.
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

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
#endif
