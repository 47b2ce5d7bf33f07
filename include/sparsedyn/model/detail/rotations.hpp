// Rotations: matrices, unit quaternions x y z w, rotation vectors and roll-pitch-yaw angles.
#pragma once

#include <array>
#include <cmath>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"
#include "sparsedyn/spatial/detail/sin_cos.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// The shortest rotation that takes e_z to the unit vector `axis` (about e_x, by π, where axis = −e_z).
Mat3<double> shortest_rotation(const Vec3<double>& axis);

/// Roll about x, pitch about y, yaw about z (fixed axes), as in a URDF.
Mat3<double> rotation_from_rpy(const Vec3<double>& rpy);

/// Roll, pitch and yaw of a rotation, pitch in ±π/2. rotation_from_rpy gives the rotation back to rounding, also where the
/// pitch is ±π/2 and roll and yaw turn about one axis.
Vec3<double> rpy_from_rotation(const Mat3<double>& R);

/// The unit quaternion x y z w of a rotation, w ≥ 0.
std::array<double, 4> quaternion_from_rotation(const Mat3<double>& R);

/// The shortest rotation vector w with u1 = ± u0 ⊗ exp(w/2), of length at most π.
Vec3<double> rotation_between(const double* u0, const double* u1) noexcept;

/// V⁻¹ p of SE(3) for rotation vector w: p − w × p/2 + k w × (w × p), k = (1 − θ/2 cot(θ/2))/θ².
Vec3<double> inverse_left_jacobian(const Vec3<double>& w, const Vec3<double>& p) noexcept;

inline namespace SPARSEDYN_CODE {

/// Rotation of a unit quaternion (x, y, z, w), child to parent.
template <class S>
Mat3<S> rotation_from_quaternion(const S* u) {
  const S x2 = u[0] + u[0], y2 = u[1] + u[1], z2 = u[2] + u[2];
  const S xx = x2 * u[0], xy = x2 * u[1], xz = x2 * u[2], yy = y2 * u[1], yz = y2 * u[2], zz = z2 * u[2];
  const S wx = x2 * u[3], wy = y2 * u[3], wz = z2 * u[3];
  const Constant<S> one(1);
  return {{{one - (yy + zz), xy - wz, xz + wy}, {xy + wz, one - (xx + zz), yz - wx}, {xz - wy, yz + wx, one - (xx + yy)}}};
}

/// R Rz(angle): 12 products.
template <class S>
Mat3<S> turned_about_z(const Mat3<Constant<S>>& R, const S& angle) {
  const auto [s, c] = sin_cos(angle);
  Mat3<S> T;
  for (int i = 0; i < 3; ++i) {
    T(i, 0) = R(i, 0) * c + R(i, 1) * s;
    T(i, 1) = R(i, 1) * c - R(i, 0) * s;
    T(i, 2) = S(R(i, 2));
  }
  return T;
}

/// sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³ as functions of x = θ²: analytic, so complex and dual numbers may enter.
template <class S>
struct ExponentialFactors {
  S sinc, versine, remainder;  // sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³
};
/// At x = θ² ≥ 0. Accurate to rounding, also near 0.
template <class S>
ExponentialFactors<S> exponential_factors(const S& x) {
  static_assert(Magnitude<S>::exists, "the exponential chooses its formula by the size of the angle");
  using std::cos;
  using std::sin;
  using std::sqrt;
  using C = Constant<S>;
  if (Magnitude<S>::of(x) < 0.04) {  // Taylor: the first term left out is below 1e-18
    const auto series = [&](const C(&c)[7]) {
      S sum(c[6]);
      for (int k = 5; k >= 0; --k) sum = C(c[k]) + x * sum;
      return sum;
    };
    // coefficients (−1)ᵏ/(2k+1)!, /(2k+2)!, /(2k+3)!
    static constexpr C a[7] = {
        C(1), C(-1.0 / 6), C(1.0 / 120), C(-1.0 / 5040), C(1.0 / 362880), C(-1.0 / 39916800), C(1.0 / 6227020800)};
    static constexpr C b[7] = {C(1.0 / 2),       C(-1.0 / 24),        C(1.0 / 720),        C(-1.0 / 40320),
                               C(1.0 / 3628800), C(-1.0 / 479001600), C(1.0 / 87178291200)};
    static constexpr C c[7] = {C(1.0 / 6),        C(-1.0 / 120),        C(1.0 / 5040),         C(-1.0 / 362880),
                               C(1.0 / 39916800), C(-1.0 / 6227020800), C(1.0 / 1307674368000)};
    return {series(a), series(b), series(c)};
  }
  // by the half angle: 1 − cos θ = 2 sin² θ/2 keeps its digits where it is small again, near full turns
  const S theta = sqrt(x), half = C(0.5) * theta, sh = sin(half), s = C(2) * sh * cos(half);
  return {s / theta, C(2) * sh * sh / x, (theta - s) / (x * theta)};
}

/// u ⊗ exp(w/2): the unit quaternion after the rotation vector w (rad), in the child's axes.
template <class S>
void rotate_quaternion(const S* u, const Vec3<S>& w, S* out) {
  using std::cos;
  using std::sqrt;
  using C = Constant<S>;
  const Vec3<S> h = C(0.5) * w;
  const S x = dot(h, h);
  const ExponentialFactors<S> factors = exponential_factors(x);
  const Vec3<S> v = factors.sinc * h;
  const S c = C(1) - factors.versine * x;  // cos θ
  const Vec3<S> uv{{u[0], u[1], u[2]}};
  const S u3 = u[3];
  const Vec3<S> r = c * uv + u3 * v + cross(uv, v);
  for (int k = 0; k < 3; ++k) out[k] = r[k];
  out[3] = u3 * c - dot(uv, v);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
