// Eight doubles in one register where the library is compiled for a machine with 512 bits, and how many of these a block of a
// matrix takes. Only eight_lanes.hpp includes this, and in the library's own build only.
#pragma once

#include "sparsedyn/scalar/detail/eight_lanes.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// The eights that stay in registers together.
#if defined(__AVX512F__)
constexpr int widest_block = 9;
#else
constexpr int widest_block = 3;
#endif

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

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
