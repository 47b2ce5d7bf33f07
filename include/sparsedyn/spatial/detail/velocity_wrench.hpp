// The wrench that a body's velocity asks for.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// v ×* I v = (ω × J ω + h × (ω × v), m ω × v + ω × (ω × h)), J = tr(Σ) 1 − Σ. Multiplied out there would be v × m v, which is
/// zero but rounds to 1e-16 m v²: with a fast origin more than all else in the moment of a small body.
template <class A, class B>
Force<Product<A, B>> velocity_wrench(const Inertia<A>& I, const Motion<B>& v) {
  const auto turning = cross(v.w, v.v);
  return {cross(v.w, trace_minus(I.moments) * v.w) + cross(I.h, turning), I.m * turning - cross(v.w, cross(I.h, v.w))};
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
