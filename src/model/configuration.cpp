#include "sparsedyn/model/configuration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsedyn {
namespace {

/// Where a body's quaternion starts in q, or nullptr.
double* quaternion(const Body& body, double* q) {
  const int offset = quaternion_offset(body.joint);
  return offset < 0 ? nullptr : q + body.q + offset;
}

/// Rotation vector of ū0 ⊗ u1, of length at most π.
Vec3<double> rotation_between(const double* u0, const double* u1) {
  const Vec3<double> a{{u0[0], u0[1], u0[2]}};
  double w = u0[3] * u1[3] + u0[0] * u1[0] + u0[1] * u1[1] + u0[2] * u1[2];
  const double sign = w < 0 ? -1.0 : 1.0;  // u1 and −u1 are one rotation
  w *= sign;
  // ū0 ⊗ u1 = 1 + ū0 ⊗ (u1 − u0): differences of neighbours are exact, products of them keep all digits of a small turn
  const Vec3<double> d{{sign * u1[0] - u0[0], sign * u1[1] - u0[1], sign * u1[2] - u0[2]}};
  const Vec3<double> v = u0[3] * d - (sign * u1[3] - u0[3]) * a - cross(a, d);
  const double s = std::sqrt(dot(v, v));
  // 2 atan2(s, w)/s → 2/w as s → 0
  return (s > 1e-12 ? 2 * std::atan2(s, w) / s : 2 / w) * v;
}

/// (1 − h cot h)/θ² with h = θ/2 and x = θ²; by Bernoulli's numbers where the difference cancels (the first term left out is
/// below 1e-17 of the sum).
double cotangent_factor(double x) {
  if (x < 0.04)
    return 1.0 / 12 +
           x * (1.0 / 720 + x * (1.0 / 30240 + x * (1.0 / 1209600 + x * (1.0 / 47900160 + x * (691.0 / 1307674368000)))));
  const double h = 0.5 * std::sqrt(x);
  return (1 - h * std::cos(h) / std::sin(h)) / x;
}

/// V⁻¹ p of SE(3) for rotation vector w: p − w × p/2 + k w × (w × p), k = (1 − θ/2 cot(θ/2))/θ².
Vec3<double> inverse_left_jacobian(const Vec3<double>& w, const Vec3<double>& p) {
  const double k = cotangent_factor(dot(w, w));
  const Vec3<double> wp = cross(w, p);
  return p - 0.5 * wp + k * cross(w, wp);
}

}  // namespace

void neutral(const Model& model, double* q) noexcept {
  for (int i = 0; i < model.nq; ++i) q[i] = 0;
  for (const Body& body : model.bodies)
    if (double* u = quaternion(body, q)) u[3] = 1;
}

void random_configuration(const Model& model, std::mt19937& rng, double* q) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal;
  const double pi = std::acos(-1.0);
  for (const Body& body : model.bodies) {
    for (int k = 0; k < coordinates(body.joint); ++k) {
      const bool length =
          body.joint == BodyJoint::prismatic || body.joint == BodyJoint::floating || (body.joint == BodyJoint::planar && k < 2);
      q[body.q + k] = (length ? 1.0 : pi) * unit(rng);
    }
    if (double* u = quaternion(body, q))
      for (int k = 0; k < 4; ++k) u[k] = normal(rng);
  }
  normalise(model, q);
}

bool normalise_quaternion(double* u) noexcept {
  double largest = 0;
  for (int k = 0; k < 4; ++k) {
    if (!std::isfinite(u[k])) return false;
    largest = std::max(largest, std::abs(u[k]));
  }
  if (largest == 0) return false;
  // by a power of two first: no square overflows or vanishes, and no digit is lost
  const int exponent = -std::ilogb(largest);
  double squares = 0;
  for (int k = 0; k < 4; ++k) {
    u[k] = std::scalbn(u[k], exponent);
    squares += u[k] * u[k];
  }
  const double length = std::sqrt(squares);
  for (int k = 0; k < 4; ++k) u[k] /= length;
  return true;
}

bool normalise(const Model& model, double* q) noexcept {
  for (const Body& body : model.bodies)
    if (const double* u = quaternion(body, q)) {
      std::array<double, 4> trial{u[0], u[1], u[2], u[3]};
      if (!normalise_quaternion(trial.data())) return false;
    }
  for (const Body& body : model.bodies)
    if (double* u = quaternion(body, q)) normalise_quaternion(u);
  return true;
}

void difference(const Model& model, const double* q0_all, const double* q1_all, double* delta_all) noexcept {
  for (const Body& body : model.bodies) {
    const double *q0 = q0_all + body.q, *q1 = q1_all + body.q;
    double* delta = delta_all + body.v;
    switch (body.joint) {
      case BodyJoint::spherical: {
        const Vec3<double> w = rotation_between(q0, q1);
        for (int k = 0; k < 3; ++k) delta[k] = w[k];
        break;
      }
      case BodyJoint::planar: {
        // the planar motion is a spatial one about z
        const double c = std::cos(q0[2]), s = std::sin(q0[2]), dx = q1[0] - q0[0], dy = q1[1] - q0[1];
        const Vec3<double> p{{c * dx + s * dy, -s * dx + c * dy, 0}};
        const Vec3<double> v = inverse_left_jacobian({{0, 0, q1[2] - q0[2]}}, p);
        delta[0] = v[0], delta[1] = v[1], delta[2] = q1[2] - q0[2];
        break;
      }
      case BodyJoint::floating: {
        const Vec3<double> w = rotation_between(q0 + 3, q1 + 3);
        const Vec3<double> p{{q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]}};
        const Vec3<double> v = inverse_left_jacobian(w, transposed_times(rotation_from_quaternion(q0 + 3), p));
        for (int k = 0; k < 3; ++k) delta[k] = w[k], delta[3 + k] = v[k];
        break;
      }
      case BodyJoint::fixed: break;
      default: delta[0] = q1[0] - q0[0];
    }
  }
}

}  // namespace sparsedyn
