// Rotations as exponentials of rotation vectors (rad), and the derivative of the exponential.
#pragma once

#include <cmath>

#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn::tracking {

using Matrix3 = Mat3<double>;
using Vector3 = Vec3<double>;

/// exp([w]×) = 1 + sin θ/θ [w]× + (1 − cos θ)/θ² [w]×².
inline Matrix3 exponential(const Vector3& w) {
  const auto f = exponential_factors(dot(w, w));
  const Matrix3 W = hat(w), WW = W * W;
  Matrix3 R = identity3<double>();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) R(i, k) += f.sinc * W(i, k) + f.versine * WW(i, k);
  return R;
}

/// J with exp(w + δ) = exp(w) exp(J δ) to first order: 1 − (1 − cos θ)/θ² [w]× + (θ − sin θ)/θ³ [w]×².
inline Matrix3 right_jacobian(const Vector3& w) {
  const auto f = exponential_factors(dot(w, w));
  const Matrix3 W = hat(w), WW = W * W;
  Matrix3 J = identity3<double>();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) J(i, k) += f.remainder * WW(i, k) - f.versine * W(i, k);
  return J;
}

/// V with V(w) [w]× = exp(w) − 1: the transpose of J. A turn by w about the point c moves a point p to exp(w) p + V (−w × c).
inline Matrix3 left_jacobian(const Vector3& w) { return transpose(right_jacobian(w)); }

/// V⁻¹ = 1 − ½ [w]× + c [w]×², c = (1 − ½ θ sin θ/(1 − cos θ))/θ². |w| < 2π.
inline Matrix3 inverse_left_jacobian(const Vector3& w) {
  const double x = dot(w, w);
  const auto f = exponential_factors(x);
  // 1/12 + x/720 + x²/30240 + x³/1209600: where θ is small the difference would lose digits
  const double c = x < 0.01 ? 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x / 1209600)) : (1 - 0.5 * f.sinc / f.versine) / x;
  const Matrix3 W = hat(w), WW = W * W;
  Matrix3 V = identity3<double>();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) V(i, k) += c * WW(i, k) - 0.5 * W(i, k);
  return V;
}

/// The shortest w with exp(w) = R.
inline Vector3 logarithm(const Matrix3& R) {
  const auto u = quaternion_from_rotation(R);
  const Vector3 v{{u[0], u[1], u[2]}};
  const double sine = std::sqrt(dot(v, v));  // of half the angle
  const double factor = sine > 1e-9 ? 2 * std::atan2(sine, u[3]) / sine : 2.0;
  return factor * v;
}

/// The rotation next to R, which products of rounded ones have left.
inline Matrix3 orthonormal(const Matrix3& R) {
  auto u = quaternion_from_rotation(R);
  const double length = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  for (double& x : u) x /= length;
  return rotation_from_quaternion(u.data());
}

}  // namespace sparsedyn::tracking
