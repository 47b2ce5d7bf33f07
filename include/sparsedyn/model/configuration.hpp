// The manifold that q lives on: for each joint a Lie group, with the tangent on the right: q ⊕ δ = q · exp(δ), δ in the body's
// frame like v. Quaternions are x y z w. One-freedom joints: q + δ. Planar: SE(2). Spherical: SO(3). Floating: SE(3).
#pragma once

#include <random>
#include <vector>

#include "sparsedyn/code.hpp"
#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"

namespace sparsedyn {

/// All zeros, quaternions 0 0 0 1. q: nq, written.
void neutral(const Model& model, double* q) noexcept;

/// Angles uniform in (−π, π), positions uniform in (−1, 1), orientations uniform on SO(3). q: nq, written.
void random_configuration(const Model& model, std::mt19937& rng, double* q);

/// Scales u, x y z w, to unit length, however large or small. False if it is zero or not finite (u is then unchanged).
bool normalise_quaternion(double* u) noexcept;

/// Scales quaternions to unit length. False if one is zero or not finite (q is then unchanged).
bool normalise(const Model& model, double* q) noexcept;

/// δ with q0 ⊕ δ = q1, the shortest in rotations (angles of one-freedom joints and planar ones: q1 − q0). delta: nv, written.
void difference(const Model& model, const double* q0, const double* q1, double* delta) noexcept;

inline namespace SPARSEDYN_CODE {

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

/// out = q ⊕ δ. q, out: nq (may be the same array); delta: nv. Quaternions must be of unit length and stay so to rounding.
template <class S>
void integrate(const Model& model, const S* q_all, const S* delta_all, S* out_all) noexcept {
  using std::cos;
  using std::sin;
  for (const Body& body : model.bodies) {
    const S* q = q_all + body.q;
    const S* delta = delta_all + body.v;
    S* out = out_all + body.q;
    switch (body.joint) {
      case BodyJoint::spherical: rotate_quaternion(q, Vec3<S>{{delta[0], delta[1], delta[2]}}, out); break;
      case BodyJoint::planar: {
        // p + Rz(angle) V v, V = [sinc, −w versine; w versine, sinc]
        const S w = delta[2];
        const ExponentialFactors<S> e = exponential_factors(S(w * w));
        const S x = e.sinc * delta[0] - w * e.versine * delta[1], y = w * e.versine * delta[0] + e.sinc * delta[1];
        const S c = cos(q[2]), s = sin(q[2]);
        out[0] = q[0] + c * x - s * y;
        out[1] = q[1] + s * x + c * y;
        out[2] = q[2] + w;
        break;
      }
      case BodyJoint::floating: {
        // p + R V v, V = 1 + versine [w]× + remainder [w]×²
        const Vec3<S> w{{delta[0], delta[1], delta[2]}}, v{{delta[3], delta[4], delta[5]}};
        const ExponentialFactors<S> e = exponential_factors(dot(w, w));
        const Vec3<S> wv = cross(w, v);
        const Vec3<S> step = rotation_from_quaternion(q + 3) * (v + e.versine * wv + e.remainder * cross(w, wv));
        for (int k = 0; k < 3; ++k) out[k] = q[k] + step[k];
        rotate_quaternion(q + 3, w, out + 3);
        break;
      }
      case BodyJoint::fixed: break;
      default: out[0] = q[0] + delta[0];
    }
  }
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
