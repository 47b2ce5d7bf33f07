// What a change of one freedom sends towards the base, and how it is carried there: one freedom's vectors side by side, or the
// vectors of four freedoms. Derivation: docs/derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// A force column as it lies in memory.
template <class S>
struct KeptWave {
  Vec3<SimdMemory<S, 4>> forces, moments;
};

inline namespace SPARSEDYN_CODE {

/// What one freedom of joint i sends towards the base, four vectors side by side:
///   forces  f | f | δF_q | δF_v        f = Σ m e, so that (f, n) is the freedom's column of M
///   moments n | k | δN_q | δN_v        n = Σ ρ × m e, k = Σ ρ' × m e
/// δ(F, N)_q and _v: the wrench added below the joint by a change of the freedom's coordinate and of its velocity.
template <class S>
struct ForceColumn {
  Vec3<simd<S, 4>> forces, moments;
};

template <class S>
Vec3<simd<S, 4>> loaded(const Vec3<SimdMemory<S, 4>>& y) {
  return {{load(y[0]), load(y[1]), load(y[2])}};
}
template <class S>
[[gnu::always_inline]] inline ForceColumn<S> load(const KeptWave<S>& y) {
  return {loaded(y.forces), loaded(y.moments)};
}
template <class S>
[[gnu::always_inline]] inline void keep(const ForceColumn<S>& y, KeptWave<S>& to) {
  for (int c = 0; c < 3; ++c) keep(y.forces[c], to.forces[c]), keep(y.moments[c], to.moments[c]);
}

/// The same vectors by name, of one freedom (T = S) or of four, a freedom a lane (T = simd<S, 4>).
template <class T>
struct ForceColumnVectors {
  Vec3<T> f, n, k, Fq, Nq, Fv, Nv;
};

template <class S>
[[gnu::always_inline]] inline ForceColumnVectors<S> vectors_of(const ForceColumn<S>& y) {
  ForceColumnVectors<S> r;
  for (int c = 0; c < 3; ++c) {
    r.f[c] = y.forces[c][0], r.Fq[c] = y.forces[c][2], r.Fv[c] = y.forces[c][3];
    r.n[c] = y.moments[c][0], r.k[c] = y.moments[c][1], r.Nq[c] = y.moments[c][2], r.Nv[c] = y.moments[c][3];
  }
  return r;
}
template <class S>
[[gnu::always_inline]] inline ForceColumn<S> packed(const ForceColumnVectors<S>& y) {
  ForceColumn<S> r;
  for (int c = 0; c < 3; ++c) {
    r.forces[c] = lanes(y.f[c], y.f[c], y.Fq[c], y.Fv[c]);
    r.moments[c] = lanes(y.n[c], y.k[c], y.Nq[c], y.Nv[c]);
  }
  return r;
}
/// Four force columns that have met in one frame.
template <class S>
[[gnu::always_inline]] inline ForceColumnVectors<simd<S, 4>> for_each_lane(const ForceColumn<S>* y) {
  ForceColumnVectors<simd<S, 4>> r;
  for (int c = 0; c < 3; ++c) {
    simd<S, 4> forces[4], moments[4];
    for (int l = 0; l < 4; ++l) forces[l] = y[l].forces[c], moments[l] = y[l].moments[c];
    transpose(forces[0], forces[1], forces[2], forces[3]);
    transpose(moments[0], moments[1], moments[2], moments[3]);
    r.f[c] = forces[0], r.Fq[c] = forces[2], r.Fv[c] = forces[3];
    r.n[c] = moments[0], r.k[c] = moments[1], r.Nq[c] = moments[2], r.Nv[c] = moments[3];
  }
  return r;
}

/// The other way round.
template <class S>
[[gnu::always_inline]] inline void separate(const ForceColumnVectors<simd<S, 4>>& y, ForceColumn<S>* four) {
  for (int c = 0; c < 3; ++c) {
    simd<S, 4> forces[4] = {y.f[c], y.f[c], y.Fq[c], y.Fv[c]}, moments[4] = {y.n[c], y.k[c], y.Nq[c], y.Nv[c]};
    transpose(forces[0], forces[1], forces[2], forces[3]);
    transpose(moments[0], moments[1], moments[2], moments[3]);
    for (int l = 0; l < 4; ++l) four[l].forces[c] = forces[l], four[l].moments[c] = moments[l];
  }
}

}  // namespace SPARSEDYN_CODE

namespace detail {
inline namespace SPARSEDYN_CODE {

template <class S>
Vec3<S> lane(const Vec3<simd<S, 4>>& y, int k) {
  return {{y[0][k], y[1][k], y[2][k]}};
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
