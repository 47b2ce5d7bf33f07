// What a type of joint says of itself: a table of its coordinates, a table of its freedoms, and the functions that no table
// holds. Each type is one file of model/detail/joints; model/joint_types.hpp lists them.
#pragma once

#include <array>
#include <utility>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "sparsedyn/spatial/detail/component.hpp"

namespace sparsedyn {

/// What an entry of q measures: rad, m, or an entry of a unit quaternion x y z w (four in a row, after all others).
enum class Measure { angle, length, quaternion };

/// An entry of q: what its column's name ends in, and what it measures.
struct JointCoordinate {
  const char* suffix;
  Measure measure;
};

/// An entry of v and its column of S: the unit motion along `axis` (0–2 angular, 3–5 linear, in the body's frame), and `pitch`
/// times the unit motion along `slides` where that is not -1. Any column of a subgroup of SE(3) has this form in some frame.
struct JointFreedom {
  const char *velocity, *force;  // what the names of its velocity and its force end in
  int axis;
  int slides = -1;
};

/// A curve's value and its first two derivatives by time.
struct Jet {
  double x, dx, ddx;
};

/// An orientation R = Rz(yaw) Ry(pitch) Rx(roll) as a quaternion x y z w, its angular velocity in body coordinates
/// (Rᵀ Ṙ = [ω]×) and that one's rate.
struct OrientationOnCurve {
  double quaternion[4];
  Vec3<double> w, dw;
  Mat3<double> R;
};
OrientationOnCurve orientation_on_curve(const Jet& roll, const Jet& pitch, const Jet& yaw);

inline namespace SPARSEDYN_CODE {

/// What holds of most joints; a type says what differs.
struct JointDefaults {
  static constexpr bool has_axis = true;  // its frame has z along the axis that the user states; else it is the link's
};

/// A joint whose n coordinates have its velocities as their rates.
template <int n>
struct AdditiveJoint : JointDefaults {
  /// q ⊕ δ = q + δ.
  template <class S>
  static void integrate(const S* q, const S* delta, S* out) {
    for (int k = 0; k < n; ++k) out[k] = q[k] + delta[k];
  }
  /// δ with q0 ⊕ δ = q1.
  static void difference(const double* q0, const double* q1, double* delta) {
    for (int k = 0; k < n; ++k) delta[k] = q1[k] - q0[k];
  }
  /// q, v and v-dot on a smooth curve x of as many numbers as there are freedoms.
  static void follow(const Jet* x, double* q, double* v, double* a) {
    for (int k = 0; k < n; ++k) q[k] = x[k].x, v[k] = x[k].dx, a[k] = x[k].ddx;
  }
};

/// d + R e_k x.
template <class S>
Vec3<S> moved_along(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, int k, const S& x) {
  return d + Vec3<S>{{R(0, k) * x, R(1, k) * x, R(2, k) * x}};
}

/// work(integral_constant k) for each freedom of the joint, the first first.
template <class Joint, class Work, std::size_t... k>
[[gnu::always_inline]] inline void for_each_freedom(Work&& work, std::index_sequence<k...>) {
  (work(std::integral_constant<int, static_cast<int>(k)>{}), ...);
}
template <class Joint, class Work>
[[gnu::always_inline]] inline void for_each_freedom(Work&& work) {
  for_each_freedom<Joint>(work, std::make_index_sequence<Joint::freedoms.size()>{});
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
