#include "tracking/log/base_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/rotation_vector.hpp"

namespace sparsedyn {
namespace tracking {
namespace {

double length_of(const Vec3<double>& x) { return std::sqrt(dot(x, x)); }

}  // namespace

BaseErrors::BaseErrors(const std::vector<std::string>& columns) {
  for (const char* name : {"q.base.x", "q.base.y", "q.base.z", "q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw"}) {
    const auto at = std::find(columns.begin(), columns.end(), name);
    if (at == columns.end()) {
      base_.clear();
      return;
    }
    base_.push_back(static_cast<std::size_t>(at - columns.begin()));
  }
}

/// Tilt and yaw are the parts of the rotation vector from estimate to truth across and along the vertical.
void BaseErrors::add(double time, const double* results, const BaseTruth& truth, double nees) {
  if (base_.empty() || !truth.placed) return;
  double q[7];
  for (std::size_t k = 0; k < 7; ++k) q[k] = results[base_[k]];
  const Place now{time,
                  {rotation_from_quaternion(truth.q + 3), {{truth.q[0], truth.q[1], truth.q[2]}}},
                  {rotation_from_quaternion(q + 3), {{q[0], q[1], q[2]}}}};
  const Vec3<double> turn = logarithm(now.estimate.R * transpose(now.truth.R));
  end_ = length_of(now.estimate.d - now.truth.d), yaw_end_ = std::abs(turn[2]);
  position_.add(end_), tilt_.add(std::hypot(turn[0], turn[1])), yaw_.add(turn[2]);
  if (!last_second_.empty()) path_ += length_of(now.truth.d - last_second_.back().truth.d);
  last_second_.push_back(now);
  while (last_second_.size() > 1 && last_second_[1].time <= time - 1) last_second_.pop_front();
  const Place& before = last_second_.front();
  if (before.time <= time - 1 + 1e-9) {
    const Vec3<double> moved = transposed_times(before.estimate.R, now.estimate.d - before.estimate.d),
                       should = transposed_times(before.truth.R, now.truth.d - before.truth.d);
    over_1s_.add(length_of(moved - should));
  }
  if (std::isfinite(nees)) nees_sum_ += nees, ++nees_rows_;
}

void BaseErrors::tell(TrackFigures& figures) const {
  const double none = std::numeric_limits<double>::quiet_NaN();
  figures.compared = position_.count();
  figures.position = position_.rms(), figures.tilt = tilt_.rms(), figures.yaw = yaw_.rms();
  figures.end = end_, figures.yaw_end = yaw_end_, figures.path = path_;
  figures.over_1s = over_1s_.count() > 0 ? over_1s_.rms() : none;
  figures.nees = nees_rows_ > 0 ? nees_sum_ / static_cast<double>(nees_rows_) : none;
}

}  // namespace tracking

BaseTruth base_truth(const double* q, const double* v) noexcept {
  const auto finite = [](double x) { return std::isfinite(x); };
  BaseTruth truth;
  if (q) {
    std::copy_n(q, 7, truth.q);
    truth.placed = std::all_of(q, q + 7, finite) && normalise_quaternion(truth.q + 3);
  }
  if (v) {
    std::copy_n(v, 6, truth.v);
    truth.moving = std::all_of(v, v + 6, finite);
  }
  return truth;
}

}  // namespace sparsedyn
