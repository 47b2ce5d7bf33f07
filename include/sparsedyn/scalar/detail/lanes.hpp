// Four scalars that always do the same: several three-vectors side by side in one Vec3<Lanes<S>>. One operation is four
// operations; the library's own code for doubles has vector registers in their place, if it was compiled for a machine with
// them.
#pragma once

#include <type_traits>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

/// Lanes as they lie in memory, alike in every compilation.
template <class S>
struct KeptLanes {
  S e[4];
  const S& operator[](int i) const { return e[i]; }
};

inline namespace SPARSEDYN_CODE {

/// Lanes in calculations, never stored for others to read.
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

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn

#ifdef SPARSEDYN_LIBRARY
#include "scalar/lanes_of_doubles.hpp"
#endif

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

template <class S>
[[gnu::always_inline]] inline Lanes<S> load(const KeptLanes<S>& from) {
  return load(from.e);
}
template <class S>
[[gnu::always_inline]] inline void keep(const Lanes<S>& a, KeptLanes<S>& to) {
  store(a, to.e);
}

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

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
