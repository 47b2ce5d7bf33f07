#include "track_truth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/rotation_vector.hpp"

namespace sparsedyn::cli {
namespace {

const std::vector<std::string> pose_columns{"q.base.x",  "q.base.y",  "q.base.z", "q.base.qx",
                                            "q.base.qy", "q.base.qz", "q.base.qw"};
const std::vector<std::string> rate_columns{"dq.base.wx", "dq.base.wy", "dq.base.wz", "dq.base.vx", "dq.base.vy", "dq.base.vz"};

std::vector<int> slots_of(CsvReader& log, const std::vector<std::string>& columns) {
  std::vector<int> slots;
  for (const std::string& column : columns)
    if (!log.has(column)) return {};
  for (const std::string& column : columns) slots.push_back(log.ask(column)), log.take_gap_words(slots.back());
  return slots;
}

double length(const Vec3<double>& x) { return std::sqrt(dot(x, x)); }

}  // namespace

TrackTruth::TrackTruth(CsvReader& log, const std::vector<std::string>& columns)
    : log_(log), pose_slots_(slots_of(log, pose_columns)), rate_slots_(slots_of(log, rate_columns)) {
  for (const std::string& column : pose_columns) {
    const auto at = std::find(columns.begin(), columns.end(), column);
    if (at == columns.end()) {
      outputs_.clear();
      return;
    }
    outputs_.push_back(static_cast<int>(at - columns.begin()));
  }
}

BaseTruth TrackTruth::read() const {
  BaseTruth truth;
  truth.placed = !pose_slots_.empty(), truth.moving = !rate_slots_.empty();
  for (std::size_t k = 0; k < pose_slots_.size(); ++k) {
    truth.placed = truth.placed && log_.state(pose_slots_[k]) == CellState::number;
    truth.q[k] = log_.value(pose_slots_[k]);
  }
  for (std::size_t k = 0; k < rate_slots_.size(); ++k) {
    truth.moving = truth.moving && log_.state(rate_slots_[k]) == CellState::number;
    truth.v[k] = log_.value(rate_slots_[k]);
  }
  truth.placed = truth.placed && normalise_quaternion(truth.q + 3);
  return truth;
}

void TrackTruth::align(double* results, const BaseTruth& truth) const {
  if (outputs_.empty() || !truth.placed) return;
  double along = 0;
  for (std::size_t k = 3; k < 7; ++k) along += results[outputs_[k]] * truth.q[k];
  for (std::size_t k = 3; k < 7 && along < 0; ++k) results[outputs_[k]] *= -1;
}

/// Tilt and yaw are the parts of the rotation vector from estimate to truth across and along the vertical.
void TrackTruth::add(double time, const double* results, const BaseTruth& truth, double nees) {
  if (outputs_.empty() || !truth.placed) return;
  double q[7];
  for (std::size_t k = 0; k < 7; ++k) q[k] = results[outputs_[k]];
  const Place now{time,
                  {rotation_from_quaternion(truth.q + 3), {{truth.q[0], truth.q[1], truth.q[2]}}},
                  {rotation_from_quaternion(q + 3), {{q[0], q[1], q[2]}}}};
  const Vec3<double> turn = tracking::logarithm(now.estimate.R * transpose(now.truth.R));
  end_ = length(now.estimate.d - now.truth.d), yaw_end_ = std::abs(turn[2]);
  position_.add(end_), tilt_.add(std::hypot(turn[0], turn[1])), yaw_.add(turn[2]);
  ++rows_;
  if (!last_second_.empty()) path_ += length(now.truth.d - last_second_.back().truth.d);
  last_second_.push_back(now);
  while (last_second_.size() > 1 && last_second_[1].time <= time - 1) last_second_.pop_front();
  const Place& before = last_second_.front();
  if (before.time <= time - 1 + 1e-9) {
    const Vec3<double> moved = transposed_times(before.estimate.R, now.estimate.d - before.estimate.d),
                       should = transposed_times(before.truth.R, now.truth.d - before.truth.d);
    over_1s_.add(length(moved - should)), ++over_rows_;
  }
  if (std::isfinite(nees)) nees_sum_ += nees, ++nees_rows_;
}

void TrackTruth::describe(Json& json) const {
  if (rows_ == 0) return;
  json["errors"] = {
      {"position", position_.rms(rows_)}, {"tilt", tilt_.rms(rows_)}, {"yaw", yaw_.rms(rows_)}, {"yaw_end", yaw_end_}};
  json["drift"] = {{"over_1s", over_rows_ ? Json(over_1s_.rms(over_rows_)) : Json()},
                   {"end", end_},
                   {"per_metre", path_ > 0 ? Json(end_ / path_) : Json()}};
}

Json TrackTruth::nees() const { return nees_rows_ ? Json(nees_sum_ / static_cast<double>(nees_rows_)) : Json(); }

std::string TrackTruth::text() const {
  if (rows_ == 0) return "";
  constexpr double degree = 57.29577951308232;
  char text[300];
  std::snprintf(
      text, sizeof text,
      "beside the log's base: position %.4g m, tilt %.3g deg, yaw %.3g deg (rms; %.3g deg at the end); %.4g m off after "
      "%.3g m, %.4g m over 1 s\n",
      position_.rms(rows_), degree * tilt_.rms(rows_), degree * yaw_.rms(rows_), degree * yaw_end_, end_, path_,
      over_1s_.rms(over_rows_));
  return text;
}

}  // namespace sparsedyn::cli
