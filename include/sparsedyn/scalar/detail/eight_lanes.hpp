// Eight scalars that always do the same: the columns of a matrix, side by side.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/lanes.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

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

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn

#ifdef SPARSEDYN_LIBRARY
#include "scalar/eight_lanes_of_doubles.hpp"
#else
namespace sparsedyn {
inline namespace SPARSEDYN_CODE {
/// The eights that stay in registers together.
constexpr int widest_block = 3;
}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
#endif
