#include "tracking/joint_filter.hpp"

#include <algorithm>

#include "tracking/kinematic_constants.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double least_sigma = 1e-9;  // of a reading that is called exact

}  // namespace

JointState predicted(const JointState& x, double dt, double acceleration_sigma) noexcept {
  const double v = dt * acceleration_sigma, p = theta * dt * v, inside = theta_inside * dt * v;
  JointState next;
  next.q = x.q + dt * x.dq, next.dq = x.dq;
  next.qq = x.qq + 2 * dt * x.qv + dt * dt * x.vv + p * p + inside * inside;
  next.qv = x.qv + dt * x.vv + p * v;
  next.vv = x.vv + v * v;
  return next;
}

double take_position(JointState& x, double reading, double sigma) noexcept {
  const double s = std::max(sigma, least_sigma), r = s * s, variance = x.qq + r, innovation = reading - x.q;
  const double k = x.qq / variance, l = x.qv / variance;
  x.q += k * innovation, x.dq += l * innovation;
  x.vv -= l * x.qv;
  x.qv *= r / variance, x.qq *= r / variance;  // 1 − k, without the difference
  return innovation * innovation / variance;
}

double take_velocity(JointState& x, double reading, double sigma) noexcept {
  const double s = std::max(sigma, least_sigma), r = s * s, variance = x.vv + r, innovation = reading - x.dq;
  const double k = x.qv / variance, l = x.vv / variance;
  x.q += k * innovation, x.dq += l * innovation;
  x.qq -= k * x.qv;
  x.qv *= r / variance, x.vv *= r / variance;
  return innovation * innovation / variance;
}

JointState smoothed(const JointState& x, const JointState& after, double dt, double acceleration_sigma) noexcept {
  const JointState before = predicted(x, dt, acceleration_sigma);
  // C = P Fᵀ P⁻¹ with P the predicted covariance, F = [1 dt; 0 1]
  const double det = before.qq * before.vv - before.qv * before.qv;
  const double a = x.qq + dt * x.qv, b = x.qv, c = x.qv + dt * x.vv, d = x.vv;  // P Fᵀ = [a b; c d]
  const double qq = (a * before.vv - b * before.qv) / det, qv = (b * before.qq - a * before.qv) / det;
  const double vq = (c * before.vv - d * before.qv) / det, vv = (d * before.qq - c * before.qv) / det;
  const double eq = after.q - before.q, ev = after.dq - before.dq;
  const double dqq = after.qq - before.qq, dqv = after.qv - before.qv, dvv = after.vv - before.vv;
  JointState out;
  out.q = x.q + qq * eq + qv * ev, out.dq = x.dq + vq * eq + vv * ev;
  const double m0 = dqq * qq + dqv * qv, m1 = dqv * qq + dvv * qv;  // D Cᵀ, first column
  const double n0 = dqq * vq + dqv * vv, n1 = dqv * vq + dvv * vv;  // second
  out.qq = x.qq + qq * m0 + qv * m1;
  out.qv = x.qv + qq * n0 + qv * n1;
  out.vv = x.vv + vq * n0 + vv * n1;
  return out;
}

}  // namespace sparsedyn::tracking
