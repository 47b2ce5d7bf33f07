// Turns about coordinate axes, of vectors and of 3×3 blocks. The 2×2 part of a block that turns takes four products instead of
// twelve, and none of the turn alone; where s², s c and c² − s² are numbers, it takes these.
#pragma once

#include "minimal_tree.hpp"

namespace sparsedyn {

/// R v about z, and Rᵀ v.
template <class T, class S>
Vec3<Product<T, S>> turn_z(const Turn<T>& t, const Vec3<S>& v) {
  return {{t.c * v[0] - t.s * v[1], t.s * v[0] + t.c * v[1], v[2]}};
}
template <class T, class S>
Vec3<Product<T, S>> turn_back_z(const Turn<T>& t, const Vec3<S>& v) {
  return {{t.c * v[0] + t.s * v[1], t.c * v[1] - t.s * v[0], v[2]}};
}
template <class T, class S>
Vec3<Product<T, S>> turn_x(const Turn<T>& t, const Vec3<S>& v) {
  return {{v[0], t.c * v[1] - t.s * v[2], t.s * v[1] + t.c * v[2]}};
}
template <class T, class S>
Vec3<Product<T, S>> turn_back_x(const Turn<T>& t, const Vec3<S>& v) {
  return {{v[0], t.c * v[1] + t.s * v[2], t.c * v[2] - t.s * v[1]}};
}

/// Whether a sine or cosine is the same at all states.
template <class T>
bool is_number(const T&) {
  return false;
}
inline bool is_number(double) { return true; }

/// R M Rᵀ about z of a symmetric block: with d = M_xx − M_yy and p = s d + 2 c M_xy,
///   M_xx − s p, M_yy + s p, s c d + (c² − s²) M_xy = c p − M_xy.
template <class T, class S>
Sym3<Product<T, S>> turn_z(const Turn<T>& r, const Sym3<S>& M) {
  const auto d = M.xx - M.yy;
  Product<T, S> t, u;
  if (is_number(r.s) && is_number(r.c)) {
    const T s2 = r.s * r.s, sc = r.s * r.c;
    t = s2 * d + (sc + sc) * M.xy, u = sc * d + (1.0 - (s2 + s2)) * M.xy;
  } else {
    const auto p = r.s * d + r.c * (M.xy + M.xy);
    t = r.s * p, u = r.c * p - M.xy;
  }
  return {M.xx - t, u, r.c * M.xz - r.s * M.yz, M.yy + t, r.s * M.xz + r.c * M.yz, M.zz};
}

/// R M Rᵀ about z of any block: the antisymmetric part of its 2×2 part stays. With e = M_xy + M_yx and p = s d + c e,
///   s² d + s c e = s p, s c d − s² e = c p − e.
template <class T, class S>
Mat3<Product<T, S>> turn_z(const Turn<T>& r, const Mat3<S>& M) {
  const auto d = M(0, 0) - M(1, 1), e = M(0, 1) + M(1, 0);
  Product<T, S> t, u;
  if (is_number(r.s) && is_number(r.c)) {
    const T s2 = r.s * r.s, sc = r.s * r.c;
    t = s2 * d + sc * e, u = sc * d - s2 * e;
  } else {
    const auto p = r.s * d + r.c * e;
    t = r.s * p, u = r.c * p - e;
  }
  return {{{M(0, 0) - t, M(0, 1) + u, r.c * M(0, 2) - r.s * M(1, 2)},
           {M(1, 0) + u, M(1, 1) + t, r.s * M(0, 2) + r.c * M(1, 2)},
           {r.c * M(2, 0) - r.s * M(2, 1), r.s * M(2, 0) + r.c * M(2, 1), M(2, 2)}}};
}

/// x → z → y → x: a turn about x is one about z of the renamed block.
template <class S>
Sym3<S> renamed(const Sym3<S>& M) {
  return {M.yy, M.yz, M.xy, M.zz, M.xz, M.xx};
}
template <class S>
Sym3<S> renamed_back(const Sym3<S>& M) {
  return {M.zz, M.xz, M.yz, M.xx, M.xy, M.yy};
}
template <class S>
Mat3<S> renamed(const Mat3<S>& M) {
  Mat3<S> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = M((i + 1) % 3, (k + 1) % 3);
  return r;
}
template <class S>
Mat3<S> renamed_back(const Mat3<S>& M) {
  Mat3<S> r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r((i + 1) % 3, (k + 1) % 3) = M(i, k);
  return r;
}
template <class T, class M>
auto turn_block_x(const Turn<T>& r, const M& block) {
  return renamed_back(turn_z(r, renamed(block)));
}

/// Axes of the parent to axes before the joint's turn, and back.
template <class Pose, class S>
Vec3<S> to_joint(const Pose& b, const Vec3<S>& v) {
  return turn_back_x(b.alpha, turn_back_z(b.before, v));
}
template <class Pose, class S>
Vec3<S> from_joint(const Pose& b, const Vec3<S>& v) {
  return turn_z(b.before, turn_x(b.alpha, v));
}
template <class Pose, class M>
auto block_from_joint(const Pose& b, const M& block) {
  return turn_z(b.before, turn_block_x(b.alpha, block));
}

}  // namespace sparsedyn
