// From one knot to the next by gyroscope and accelerometer, whose readings are means over the interval:
//   R⁺ = R exp(dt ω̄),   v⁺ = v + dt (g + R exp(½ dt ω̄) ā),   p⁺ = p + ½ dt (v + v⁺),   d⁺ = d,   b⁺ = b
// with ω̄ = R_g (y_g − b_g − n_g), ā = R_a (y_a − b_a − n_a). With common left errors (layout.hpp), to first order and with
// A = dt R⁺ J_r(dt ω̄) R_g, a = R exp(½ dt ω̄) ā:
//   θ⁺  = θ − A (δb_g + n_g)
//   δv⁺ = δv + dt [g]× θ + B (δb_g + n_g) − dt C (δb_a + n_a)
//   δp⁺ = δp + ½ dt (δv + δv⁺) + [½ dt v⁺ − p⁺]× A (δb_g + n_g)
//   δd⁺ = δd − [d]× A (δb_g + n_g);   of a foot that rolls (rolling.hpp) d⁺ = d + u, and
//   δd⁺ = δd + r [φ]× [n]× θ + (r [n]× V(φ)⁻¹ − [d⁺]×) A (δb_g + n_g)
//   B = −[v⁺]× A + dt [a]× A½,  A½ = ½ dt R exp(½ dt ω̄) J_r(½ dt ω̄) R_g,  C = R exp(½ dt ω̄) R_a
// A turn of the world about the vertical and a shift of it pass through unchanged: g × e_z = 0.
#pragma once

#include "tracking/covariance.hpp"
#include "tracking/knot.hpp"

namespace sparsedyn::tracking {

/// The readings of one interval.
struct InertialReading {
  double dt = 0;       // s
  Vector3 turn, push;  // of gyroscope and accelerometer, in their axes; where there is none, what stands in for them
  Vector3 turn_variance, push_variance;     // of n_g, n_a
  bool turn_read = true, push_read = true;  // false: a gap, so that no offset enters
  double leap = 0;                          // squares of the gyroscope's innovations beside their variance, where it leaps
};

/// The derivative of a step, by blocks: what it adds to the errors beside keeping them.
struct StepJacobian {
  double dt = 0;
  Matrix3 turn_by_turn_rate;                        // −A
  Matrix3 velocity_by_turn, velocity_by_turn_rate;  // dt [g]×, B
  Matrix3 velocity_by_push;                         // −dt C
  Matrix3 place_by_turn_rate;                       // [½ dt v⁺ − p⁺]× A, without ½ dt B
  std::vector<Matrix3> foothold_by_turn_rate;       // −[d]× A
  std::vector<Matrix3> foothold_by_turn;            // r [φ]× [n]×, of feet that roll
  bool turn_read = true, push_read = true;
  explicit StepJacobian(std::size_t points = 0) : foothold_by_turn_rate(points), foothold_by_turn(points) {}
};

/// ω̄ and ā of the readings at the knot's offsets, in the tracked frame.
Vector3 turn_rate(const Layout& layout, const Knot& x, const InertialReading& reading) noexcept;

/// `next` becomes the knot after the interval, `jacobian` the derivative there. turned: by point, F⁺ Fᵀ with F the orientation
/// of its link in the tracked frame; only that of feet that roll counts. No heap.
void inertial_step(const Layout& layout, const Knot& x, const InertialReading& reading, const Matrix3* turned, Knot& next,
                   StepJacobian& jacobian) noexcept;

/// e becomes F e: the errors carried over the interval. No heap.
void carry(const Layout& layout, const StepJacobian& F, double* e) noexcept;
/// λ becomes Fᵀ λ. No heap.
void carry_back(const Layout& layout, const StepJacobian& F, double* lambda) noexcept;

/// Variances that an interval adds besides those of the readings.
struct StepNoise {
  double place;  // m², of p⁺: what velocity does inside the interval
  double gyroscope_walk, accelerometer_walk;
  std::vector<double> foothold;  // m², by point
};

/// P becomes F P Fᵀ + Q. `scratch`: n × 6. No heap. About 2 n (36 + 9 points) operations and as many for Q.
void carry(const Layout& layout, const StepJacobian& F, const InertialReading& reading, const StepNoise& noise, Covariance& P,
           std::vector<double>& scratch) noexcept;

}  // namespace sparsedyn::tracking
