// Components of spatial vectors by number: angular or moment first (0 to 2), then linear or force (3 to 5).
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

template <class S>
const S& component(const Motion<S>& m, int k) {
  return k < 3 ? m.w[k] : m.v[k - 3];
}

template <class S>
S& component(Motion<S>& m, int k) {
  return k < 3 ? m.w[k] : m.v[k - 3];
}

template <class S>
const S& component(const Force<S>& x, int k) {
  return k < 3 ? x.n[k] : x.f[k - 3];
}

template <class S>
S& component(Force<S>& x, int k) {
  return k < 3 ? x.n[k] : x.f[k - 3];
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
