// Screws of the freedoms with their rates, and how a body sees those on its way: what a pair of freedoms below meets.
// Equations and names as in docs/second-derivatives.md.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/joint_screws.hpp"
#include "sparsedyn/dynamics/detail/second_order/tensor_index.hpp"

namespace sparsedyn {

/// How a body's frame moves: rates are taken from the point c of the parent where the body's origin is.
template <class S>
struct SecondFrame {
  Vec3<S> w;        // rate of c from the parent's own c, in the parent
  Vec3<S> v_joint;  // velocity of O_i from c
};

/// A freedom's screw with the rates z1, l1, z2 by which the parent carries it, L2 = l2 − z × a, and zv, lv: the mean of what
/// parent and child make of it.
template <class S>
struct SecondScrew {
  Vec3<S> z, l, z1, l1, z2, L2, zv, lv;
};

/// A screw as a body below sees it, its parts side by side: for each component z, z2, zv, z1 and l, L2, lv.
template <class S>
struct SeenScrew {
  S turn[3][4], shift[3][4];
};

/// What of a screw is zero or alike. shift: z and its rates are zero. still: the world does not turn its axis, z' = z'' = 0.
/// fixed: parent and child carry it alike, z^v = z'.
enum class ScrewKind { shift, still, fixed, any };
inline ScrewKind screw_kind(const Body& body, int c) {
  if (is_shift(body.joint, c)) return ScrewKind::shift;
  return body.parent < 0 ? ScrewKind::still : has_fixed_axis(body.joint) ? ScrewKind::fixed : ScrewKind::any;
}

namespace detail {
inline namespace SPARSEDYN_CODE {

template <class S>
SecondScrew<S> second_screw(const BodyMoments<S>& x, const BodyMotion<S>& carrier, const Vec3<S>& v_joint, const Motion<S>& e) {
  const Constant<S> half(0.5);
  const Vec3<S> mean = half * (x.motion.w + carrier.w);
  return {e.w,
          e.v,
          cross(carrier.w, e.w),
          cross(carrier.w, e.v),
          carrier.U * e.w,
          carrier.U * e.v - cross(e.w, carrier.a),
          cross(mean, e.w),
          cross(mean, e.v) - half * cross(e.w, v_joint)};
}

/// About e_z.
template <class S>
SecondScrew<S> second_revolute(const BodyMotion<S>& m) {
  const S o(0.0);
  const Vec3<S> z1{{m.w[1], -m.w[0], o}}, zero = zero3<S>();
  return {{{o, o, S(1.0)}}, zero, z1, zero, column(m.U, 2), {{m.a[1], -m.a[0], o}}, z1, zero};
}

template <class S>
Vec3<simd<S, 4>> load_rows(const S (&rows)[3][4]) {
  return {{sparsedyn::load<4>(rows[0]), sparsedyn::load<4>(rows[1]), sparsedyn::load<4>(rows[2])}};
}
template <class S>
void store_rows(const Vec3<simd<S, 4>>& u, S (&rows)[3][4]) {
  for (int r = 0; r < 3; ++r) sparsedyn::store(u[r], rows[r]);
}

/// In the screw's own body.
template <class S>
void see(const SecondScrew<S>& e, SeenScrew<S>& y) {
  for (int r = 0; r < 3; ++r) {
    sparsedyn::store(lanes(e.z[r], e.z2[r], e.zv[r], e.z1[r]), y.turn[r]);
    sparsedyn::store(lanes(e.l[r], e.L2[r], e.lv[r], S(0.0)), y.shift[r]);
  }
}

/// From the parent's frame: l − d × z, L2 − d × z2 − 2 w × z1, lv − d × zv − w × z. Kind shift: nothing turns.
template <class S>
void pass_down(const Pose<S>& pose, const Vec3<S>& w, ScrewKind kind, const SeenScrew<S>& above, SeenScrew<S>& below) {
  if (kind == ScrewKind::shift) return store_rows(transposed_times(pose.R, load_rows(above.shift)), below.shift);
  const S o(0.0);
  const Vec3<simd<S, 4>> turn = load_rows(above.turn);
  Vec3<simd<S, 4>> rate, of;
  for (int r = 0; r < 3; ++r) {
    rate[r] = lanes(o, twice(w[r]), w[r], o);
    of[r] = lanes(o, turn[r][3], turn[r][0], o);
  }
  store_rows(transposed_times(pose.R, turn), below.turn);
  store_rows(transposed_times(pose.R, load_rows(above.shift) - cross(pose.d, turn) - cross(rate, of)), below.shift);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

}  // namespace sparsedyn
