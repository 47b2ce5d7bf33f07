// The velocity product of a body.
#pragma once

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// v ×* I v, the wrench that a body's velocity takes, without v × m v in its moment: that is zero, and its rounding would drown
/// the moments of short links. J = tr Σ 1 − Σ about the frame's origin:
///   n = w × J w + h × (w × v),   f = m w × v + w × (w × h)
template <class A, class B>
Force<Product<A, B>> velocity_wrench(const Inertia<A>& I, const Motion<B>& v) {
  const auto rate = cross(v.w, v.v);
  return {cross(v.w, trace_minus(I.moments) * v.w) + cross(I.h, rate), I.m * rate + cross(v.w, cross(v.w, I.h))};
}

}  // namespace sparsedyn
