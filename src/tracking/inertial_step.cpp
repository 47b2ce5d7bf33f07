#include "tracking/inertial_step.hpp"

#include <algorithm>
#include <cmath>

#include "tracking/shared/block_rows.hpp"
#include "tracking/shared/rolling.hpp"

namespace sparsedyn::tracking {
namespace {

/// The rows of X (n columns) become those of F X. Each is built of rows that are not yet changed, so the order is d, p, v, θ.
void carry_rows(const Layout& layout, const StepJacobian& F, double* X, int n) {
  const auto at = [&](int error) { return X + error * n; };
  const int bg = F.turn_read ? layout.gyroscope.bias : -1, ba = F.push_read ? layout.accelerometer.bias : -1;
  if (bg >= 0)
    for (std::size_t k = 0; k < layout.points.size(); ++k)
      add_rows(F.foothold_by_turn_rate[k], at(bg), at(layout.points[k].error), n);
  for (std::size_t k = 0; k < layout.points.size(); ++k)
    if (layout.points[k].rolls()) add_rows(F.foothold_by_turn[k], at(Layout::turn), at(layout.points[k].error), n);
  double* const v = at(Layout::velocity);
  double* const p = at(Layout::place);
  add_scaled(0.5 * F.dt, v, p, 3 * n);
  if (bg >= 0) add_rows(F.place_by_turn_rate, at(bg), p, n);
  add_rows(F.velocity_by_turn, at(Layout::turn), v, n);
  if (bg >= 0) add_rows(F.velocity_by_turn_rate, at(bg), v, n);
  if (ba >= 0) add_rows(F.velocity_by_push, at(ba), v, n);
  add_scaled(0.5 * F.dt, v, p, 3 * n);
  if (bg >= 0) add_rows(F.turn_by_turn_rate, at(bg), at(Layout::turn), n);
}

void transpose_in_place(double* X, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) std::swap(X[i * n + k], X[k * n + i]);
}

/// G, n × 6 row by row: what the noise of a unit of each reading does to the errors.
void noise_columns(const Layout& layout, const StepJacobian& F, double* G) {
  std::fill(G, G + 6 * layout.size, 0.0);
  const auto put = [&](int error, int column, const Matrix3& M) {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) G[(error + i) * 6 + column + k] += M(i, k);
  };
  put(Layout::turn, 0, F.turn_by_turn_rate);
  put(Layout::velocity, 0, F.velocity_by_turn_rate);
  put(Layout::place, 0, F.place_by_turn_rate + scaled(0.5 * F.dt, F.velocity_by_turn_rate));
  for (std::size_t k = 0; k < layout.points.size(); ++k) put(layout.points[k].error, 0, F.foothold_by_turn_rate[k]);
  put(Layout::velocity, 3, F.velocity_by_push);
  put(Layout::place, 3, scaled(0.5 * F.dt, F.velocity_by_push));
}

/// P += G diag(variance) Gᵀ.
void add_reading_noise(const InertialReading& reading, const double* G, Covariance& P) {
  double variance[6];
  for (int k = 0; k < 3; ++k) variance[k] = reading.turn_variance[k], variance[3 + k] = reading.push_variance[k];
  for (int i = 0; i < P.n; ++i) {
    double scaled[6], size = 0;
    for (int k = 0; k < 6; ++k) scaled[k] = G[6 * i + k] * variance[k], size += std::abs(scaled[k]);
    if (size == 0) continue;
    double* const to = P.row(i);
    for (int j = 0; j < P.n; ++j) {
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += scaled[k] * G[6 * j + k];
      to[j] += sum;
    }
  }
}

void add_to_diagonal(Covariance& P, int first, double x) {
  for (int k = 0; k < 3; ++k) P.row(first + k)[first + k] += x;
}

}  // namespace

Vector3 turn_rate(const Layout& layout, const Knot& x, const InertialReading& reading) noexcept {
  return reading.turn_read ? layout.gyroscope.R * (reading.turn - x.gyroscope_bias) : reading.turn;
}

void inertial_step(const Layout& layout, const Knot& x, const InertialReading& reading, const Matrix3* turned, Knot& next,
                   StepJacobian& F) noexcept {
  const double dt = reading.dt;
  const Vector3 w = turn_rate(layout, x, reading);
  const Matrix3 Rg = reading.turn_read ? layout.gyroscope.R : identity3<double>();
  const Matrix3 Ra = reading.push_read ? layout.accelerometer.R : identity3<double>();
  const Vector3 pushed = reading.push_read ? Ra * (reading.push - x.accelerometer_bias) : reading.push;
  const Matrix3 half = x.R * exponential(0.5 * dt * w);
  const Vector3 a = half * pushed, g = layout.model.gravity;
  next.R = orthonormal(x.R * exponential(dt * w));
  next.v = x.v + dt * (g + a);
  next.p = x.p + 0.5 * dt * (x.v + next.v);
  next.gyroscope_bias = x.gyroscope_bias, next.accelerometer_bias = x.accelerometer_bias;
  std::copy(x.footholds.begin(), x.footholds.end(), next.footholds.begin());

  const Matrix3 A = scaled(dt, next.R * right_jacobian(dt * w) * Rg);
  const Matrix3 A_half = scaled(0.5 * dt, half * right_jacobian(0.5 * dt * w) * Rg);
  F.dt = dt, F.turn_read = reading.turn_read, F.push_read = reading.push_read;
  F.turn_by_turn_rate = scaled(-1, A);
  F.velocity_by_turn = scaled(dt, hat(g));
  F.velocity_by_turn_rate = scaled(-1, hat(next.v)) * A + scaled(dt, hat(a)) * A_half;
  F.velocity_by_push = scaled(-dt, half * Ra);
  F.place_by_turn_rate = hat(0.5 * dt * next.v - next.p) * A;
  for (std::size_t k = 0; k < x.footholds.size(); ++k) {
    F.foothold_by_turn_rate[k] = scaled(-1, hat(x.footholds[k])) * A;
    if (!layout.points[k].rolls()) continue;
    const Roll roll = roll_over(layout.points[k].radius, next.R * turned[k] * transpose(x.R), layout.vertical);
    next.footholds[k] += roll.moved;
    F.foothold_by_turn[k] = roll.by_turn;
    F.foothold_by_turn_rate[k] = scaled(-1, hat(next.footholds[k]) + roll.by_end) * A;
  }
}

void carry(const Layout& layout, const StepJacobian& F, double* e) noexcept { carry_rows(layout, F, e, 1); }

void carry_back(const Layout& layout, const StepJacobian& F, double* lambda) noexcept {
  const int bg = F.turn_read ? layout.gyroscope.bias : -1, ba = F.push_read ? layout.accelerometer.bias : -1;
  const Vector3 turn = part(lambda, Layout::turn), place = part(lambda, Layout::place);
  const Vector3 velocity = part(lambda, Layout::velocity) + 0.5 * F.dt * place;  // δv⁺ enters δp⁺ too
  const auto add = [&](int at, const Vector3& x) { set_part(lambda, at, part(lambda, at) + x); };
  if (bg >= 0) {
    Vector3 sum = transposed_times(F.turn_by_turn_rate, turn) + transposed_times(F.velocity_by_turn_rate, velocity) +
                  transposed_times(F.place_by_turn_rate, place);
    for (std::size_t k = 0; k < layout.points.size(); ++k)
      sum += transposed_times(F.foothold_by_turn_rate[k], part(lambda, layout.points[k].error));
    add(bg, sum);
  }
  if (ba >= 0) add(ba, transposed_times(F.velocity_by_push, velocity));
  add(Layout::turn, transposed_times(F.velocity_by_turn, velocity));
  for (std::size_t k = 0; k < layout.points.size(); ++k)
    if (layout.points[k].rolls())
      add(Layout::turn, transposed_times(F.foothold_by_turn[k], part(lambda, layout.points[k].error)));
  set_part(lambda, Layout::velocity, velocity + 0.5 * F.dt * place);
}

void carry(const Layout& layout, const StepJacobian& F, const InertialReading& reading, const StepNoise& noise, Covariance& P,
           std::vector<double>& scratch) noexcept {
  carry_rows(layout, F, P.values.data(), P.n);
  transpose_in_place(P.values.data(), P.n);
  carry_rows(layout, F, P.values.data(), P.n);
  noise_columns(layout, F, scratch.data());
  add_reading_noise(reading, scratch.data(), P);
  add_to_diagonal(P, Layout::place, noise.place);
  if (layout.gyroscope.bias >= 0) add_to_diagonal(P, layout.gyroscope.bias, noise.gyroscope_walk);
  if (layout.accelerometer.bias >= 0) add_to_diagonal(P, layout.accelerometer.bias, noise.accelerometer_walk);
  for (std::size_t k = 0; k < layout.points.size(); ++k) add_to_diagonal(P, layout.points[k].error, noise.foothold[k]);
}

}  // namespace sparsedyn::tracking
