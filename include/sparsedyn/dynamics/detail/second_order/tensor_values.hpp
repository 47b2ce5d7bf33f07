// Three freedoms: what a freedom i above makes of a pair (j, k), four k side by side.
// Equations and names as in docs/second-derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/second_order/pair_moments.hpp"
#include "sparsedyn/dynamics/detail/second_order/second_derivatives.hpp"

namespace sparsedyn {
namespace detail {
inline namespace SPARSEDYN_CODE {

/// Parts of a SeenScrew, and their products with vectors of the pair.
enum class ScrewPart { z, z2, zv, z1, l, L2, lv };
template <ScrewPart part, class S>
[[gnu::always_inline]] inline simd<S, 4> along(const SeenScrew<S>& i, const Vec3<simd<S, 4>>& u) {
  constexpr int at = static_cast<int>(part) % 4;
  const auto& s = part < ScrewPart::l ? i.turn : i.shift;
  return s[0][at] * u[0] + s[1][at] * u[1] + s[2][at] * u[2];
}

template <class S>
void put(const simd<S, 4>& a, TensorEntry x, S* row) {
  store(a, row + static_cast<int>(x) * TensorIndex::block);
}

/// Freedom i shifts: z and its rates are zero.
template <class Pair, class S>
[[gnu::always_inline]] inline void meet_shift(const Pair& y, const SeenScrew<S>& i, S* row) {
  using P = ScrewPart;
  using V = TensorEntry;
  const simd<S, 4> C = along<P::l>(i, y.F), second = along<P::l>(i, y.F2), L2F = along<P::L2>(i, y.F);
  const simd<S, 4> first = along<P::l>(i, y.Fa), lvF = twice(along<P::lv>(i, y.F));
  simd<S, 4> other = first;
  if constexpr (std::is_same_v<Pair, MixedPairMoments<S>>) other = along<P::l>(i, y.Fb);
  put(C, V::C, row), put(second, V::qq_i, row), put(L2F, V::qq_j, row), put(L2F, V::qq_k, row);
  put(first, V::qv_ijk, row), put(other, V::qv_ikj, row), put(lvF, V::qv_jki, row), put(lvF, V::qv_kji, row);
}

/// The values of the block of (i, j); those that are zero for this kind of i stay as they are.
///   C = z·N + l·F    B = z·b    qq_i = z·W + l·F2    qq_j, qq_k = z2·(N ∓ b) + z1·(R or T) + L2·F    qv_kij = 2 z1·b
///   qv_ijk = z·Pa + l·Fa    qv_ikj = z·Y + l·Fb    qv_jki, qv_kji = 2 (zv·(N ∓ b) + lv·F) + z·(R or T)
template <ScrewKind kind, class Pair, class S>
[[gnu::always_inline]] inline void meet(const Pair& y, const SeenScrew<S>& i, S* row) {
  using P = ScrewPart;
  using V = TensorEntry;
  const simd<S, 4> C = along<P::z>(i, y.N) + along<P::l>(i, y.F), B = along<P::z>(i, y.b);
  const simd<S, 4> second = along<P::z>(i, y.W) + along<P::l>(i, y.F2);
  const simd<S, 4> first = along<P::z>(i, y.Pa) + along<P::l>(i, y.Fa), zR = along<P::z>(i, y.R), zT = along<P::z>(i, y.T);
  const simd<S, 4> both = twice(along<P::zv>(i, y.N) + along<P::lv>(i, y.F));
  simd<S, 4> other = first + zR - zT, qq_j = along<P::L2>(i, y.F), qq_k = qq_j, axis;
  if constexpr (std::is_same_v<Pair, MixedPairMoments<S>>) other = along<P::z>(i, y.Y) + along<P::l>(i, y.Fb);
  if constexpr (kind != ScrewKind::fixed) axis = twice(along<P::zv>(i, y.b));
  if constexpr (kind != ScrewKind::still) {
    const simd<S, 4> kij = twice(along<P::z1>(i, y.b)), turn = qq_j + along<P::z2>(i, y.N), bend = along<P::z2>(i, y.b);
    qq_j = turn + along<P::z1>(i, y.R) - bend, qq_k = turn + along<P::z1>(i, y.T) + bend;
    if constexpr (kind == ScrewKind::fixed) axis = kij;
    put(kij, V::qv_kij, row);
  }
  put(C, V::C, row), put(B, V::B, row), put(second, V::qq_i, row), put(qq_j, V::qq_j, row), put(qq_k, V::qq_k, row);
  put(first, V::qv_ijk, row), put(other, V::qv_ikj, row);
  put(both + zR - axis, V::qv_jki, row), put(both + zT + axis, V::qv_kji, row);
}

/// The same where j shifts: F = N = Fa = Fb = F2 = 0.
template <ScrewKind kind, class S>
[[gnu::always_inline]] inline void meet(const ShiftPairMoments<S>& y, const SeenScrew<S>& i, S* row) {
  using P = ScrewPart;
  using V = TensorEntry;
  const simd<S, 4> B = along<P::z>(i, y.b), second = along<P::z>(i, y.W), first = along<P::z>(i, y.Pa),
                   other = along<P::z>(i, y.Y);
  const simd<S, 4> axis = twice(along<P::zv>(i, y.b)), jki = along<P::z>(i, y.R) - axis, kji = along<P::z>(i, y.T) + axis;
  if constexpr (kind != ScrewKind::still) {
    const simd<S, 4> kij = twice(along<P::z1>(i, y.b)), bend = along<P::z2>(i, y.b);
    put(along<P::z1>(i, y.R) - bend, V::qq_j, row), put(along<P::z1>(i, y.T) + bend, V::qq_k, row), put(kij, V::qv_kij, row);
  }
  put(B, V::B, row), put(second, V::qq_i, row), put(first, V::qv_ijk, row), put(other, V::qv_ikj, row);
  put(jki, V::qv_jki, row), put(kji, V::qv_kji, row);
}

/// One block of the rows of all i on the way of j, from the row of the first. screws: as the body of j sees them, by depth.
template <class Pair, class S>
void meet_all(const Pair& y, const TensorIndex& index, int j, const SecondWorkspace<S>& ws, const SeenScrew<S>* screws,
              S* row) {
  constexpr bool shifts = std::is_same_v<Pair, ShiftPairMoments<S>>;
  const int stride = index.width(j) * tensor_values;
  for (int d = 0; d < index.way(j); ++d, row += stride) {
    const SeenScrew<S>& i = screws[d];
    switch (ws.kinds[index.on_path(j, d)]) {
      case ScrewKind::shift:
        if constexpr (!shifts) meet_shift(y, i, row);
        break;
      case ScrewKind::still: meet<ScrewKind::still>(y, i, row); break;
      case ScrewKind::fixed: meet<ScrewKind::fixed>(y, i, row); break;
      case ScrewKind::any: meet<ScrewKind::any>(y, i, row);
    }
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// Freedom j, the c-th of body b, with four k that have come there and all freedoms above: fills a block of the rows (i, j),
/// from that of the first i.
template <class S>
void meet_all(const Model& model, const TensorIndex& index, const SecondWorkspace<S>& ws, int b, int c,
              const SecondOrderColumn<simd<S, 4>>& x, S* row) {
  const Body& body = model.bodies[b];
  const int j = body.v + c;
  const SecondScrew<S>& screw = ws.screws[j];
  const auto all = [&](const auto& y) { detail::meet_all(y, index, j, ws, ws.seen.data() + ws.first[b], row); };
  if (is_shift(body.joint, c))
    all(detail::shift_pair(screw, x));
  else if (body.joint == BodyJoint::revolute && ws.all_fixed[b])
    all(detail::revolute_pair(screw, x));
  else if (body.joint == BodyJoint::floating && body.parent < 0)
    all(detail::free_turn_pair(screw, x));
  else
    all(detail::screw_pair(screw, x));
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
