// The position and velocity of a joint of one freedom from what is read of it, sample by sample:
//   dq⁺ = dq + dt a,   q⁺ = q + dt ((1 − ϑ) dq + ϑ dq⁺) + e,   a ~ N(0, σ_a²),   e ~ N(0, (0.04 σ_a dt²)²)
// a is the mean acceleration, e what the velocity does inside the interval, ϑ = 0.6: a trapezoid (½) would not see velocities
// that alternate from knot to knot.
#pragma once

namespace sparsedyn::tracking {

struct JointState {
  double q = 0, dq = 0;
  double qq = 1, qv = 0, vv = 1;  // covariance
};

/// The state after an interval without a reading.
JointState predicted(const JointState& x, double dt, double acceleration_sigma) noexcept;
/// A reading of the position, or of the velocity, of standard deviation sigma (0: 1e-9). Returns the innovation's square beside
/// its variance.
double take_position(JointState& x, double reading, double sigma) noexcept;
double take_velocity(JointState& x, double reading, double sigma) noexcept;
/// The state x of a knot given all that is known of the next one, `after` (Rauch, Tung & Striebel 1965).
JointState smoothed(const JointState& x, const JointState& after, double dt, double acceleration_sigma) noexcept;

}  // namespace sparsedyn::tracking
