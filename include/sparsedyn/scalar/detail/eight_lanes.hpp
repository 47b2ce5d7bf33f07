// Eight scalars that always do the same: the columns of a matrix, side by side. Doubles fill one 512-bit register where the
// machine has them.
#pragma once

#include "sparsedyn/scalar/detail/lanes.hpp"

namespace sparsedyn {

template <class S>
struct EightLanes {
  Lanes<S> low, high;
};
template <class S>
EightLanes<S> load_eight(const S* from) {
  return {load(from), load(from + 4)};
}
template <class S>
void store(const EightLanes<S>& a, S* to) {
  store(a.low, to), store(a.high, to + 4);
}
template <class S>
EightLanes<S> operator-(const EightLanes<S>& a, const EightLanes<S>& b) {
  return {a.low - b.low, a.high - b.high};
}
template <class S>
EightLanes<S> operator*(const std::common_type_t<S>& s, const EightLanes<S>& b) {
  return {s * b.low, s * b.high};
}

#if defined(__GNUC__) && defined(__AVX512F__)
template <>
struct EightLanes<double> {
  typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));
  Eight e;
};
// By a pointer: g++ copies 64 bytes in halves, which the wide load behind them would wait for.
[[gnu::always_inline]] inline EightLanes<double> load_eight(const double* from) {
  return {*reinterpret_cast<const EightLanes<double>::Eight*>(from)};
}
[[gnu::always_inline]] inline void store(const EightLanes<double>& a, double* to) {
  *reinterpret_cast<EightLanes<double>::Eight*>(to) = a.e;
}
[[gnu::always_inline]] inline EightLanes<double> operator-(const EightLanes<double>& a, const EightLanes<double>& b) {
  return {a.e - b.e};
}
[[gnu::always_inline]] inline EightLanes<double> operator*(double s, const EightLanes<double>& b) { return {s * b.e}; }
#endif

}  // namespace sparsedyn
