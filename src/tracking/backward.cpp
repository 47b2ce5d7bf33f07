#include "tracking/backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/shared/normal_squares.hpp"
#include "tracking/shared/rate_inside.hpp"

namespace sparsedyn::tracking {

Backward::Backward(const Layout& layout, bool deviations)
    : layout_(layout),
      deviations_(deviations),
      adjoint_(layout.size),
      knot_(layout),
      P_(layout.size),
      joints_(layout.joints.size()),
      scratch_(static_cast<std::size_t>(layout.size * std::max(layout.size, 1))) {}

void Backward::begin(const Sample& newest) noexcept {
  adjoint_.clear();
  std::copy(newest.joints.begin(), newest.joints.end(), joints_.begin());
}

/// A sample that starts the estimate anew has no interval before it: what came after says nothing of what was before.
void Backward::step(const Sample& after, const Sample& sample, double acceleration_sigma) noexcept {
  if (!(after.dt > 0)) return begin(sample);
  if (layout_.floating) adjoint_.back_over(layout_, after.base, deviations_, scratch_);
  for (std::size_t j = 0; j < joints_.size(); ++j)
    joints_[j] = smoothed(sample.joints[j], joints_[j], after.dt, acceleration_sigma);
}

/// The angular velocity at a knot is the line's through the means of the intervals beside it, each at its middle: with a share
/// s of the interval before, (1 − s) of the mean before and s of that after. Accelerations that change inside the intervals
/// put it off that line by twice what they put a mean off the mean of its ends (rate_inside.hpp): j dt²/6 and j dt²/12 of a
/// rate j at which they change.
RateFilter Backward::rate_between(const Sample& sample, const Sample& after) const noexcept {
  const Triad& gyroscope = layout_.gyroscope;
  const double share = sample.dt / (sample.dt + after.dt);
  const Vector3 change = after.reading - sample.reading;
  const Vector3& s = gyroscope.sigma;
  const double noise = std::max({s[0], s[1], s[2]});
  const double inside = 2 * rate_inside * std::max({std::abs(change[0]), std::abs(change[1]), std::abs(change[2])});
  RateFilter rate;
  rate.rate = gyroscope.R * (sample.reading + share * change - knot_.gyroscope_bias);
  rate.variance = ((1 - share) * (1 - share) + share * share) * noise * noise + inside * inside;
  return rate;
}

Snapshot Backward::snapshot(const Sample& sample, const Sample* after) noexcept {
  RateFilter rate = sample.rate;
  if (layout_.floating) {
    smoothed(layout_, sample.base, adjoint_, knot_, deviations_ ? &P_ : nullptr, scratch_);
    if (after && after->dt > 0 && after->read && sample.read)
      rate = rate_between(sample, *after);
    else  // the filter's, which took off the offset that was known then
      rate.rate += layout_.gyroscope.R * (sample.base.x.gyroscope_bias - knot_.gyroscope_bias);
  }
  return {knot_, P_, joints_.data(), sample.stands.data(), rate, sample.nis};
}

double nees_of(const Snapshot& sample, const Pose<double>& base, const double* q, const double* v) noexcept {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double u[4] = {q[3], q[4], q[5], q[6]};
  if (!normalise_quaternion(u)) return none;
  const int n = v ? 9 : 6;
  // The truth's errors as common left actions: with it the tracked frame is T_b B⁻¹, so V δp = p − exp(θ) p̂ at the base as
  // well.
  const Matrix3 R = rotation_from_quaternion(u);
  const Vector3 turn = logarithm(R * transpose(base.R)), place{{q[0], q[1], q[2]}};
  const Matrix3 E = exponential(turn), V = inverse_left_jacobian(turn);
  double e[9], L[81];
  set_part(e, 0, turn);
  set_part(e, 3, V * (place - E * base.d));
  if (v) {
    const Vector3 arm = transposed_times(base.R, sample.x.p - base.d);
    const Motion<double> moving{{{v[0], v[1], v[2]}}, {{v[3], v[4], v[5]}}};
    set_part(e, 6, V * (R * (moving.v + cross(moving.w, arm)) - E * sample.x.v));
  }
  const auto entry = [&](int i, int k) { return sample.P.at(i, k); };
  return mean_normal_square(
      n, entry, [](double variance) { return std::max(1e-10 * variance, 1e-16); }, L, e);
}

}  // namespace sparsedyn::tracking
