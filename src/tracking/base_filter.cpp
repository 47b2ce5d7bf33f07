#include "tracking/base_filter.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {
namespace {

int most_rows(const Layout& layout) {
  return 3 * static_cast<int>(layout.points.size()) + 6 * static_cast<int>(layout.poses.size());
}

RowRecord room(const Layout& layout) {
  std::size_t points = 1;  // of the largest group: its last row sees all of them and the base's place
  for (const PointGroup& group : layout.groups) points = std::max(points, group.points.size());
  RowRecord record;
  record.index.resize(3 + 3 * points), record.value.resize(3 + 3 * points);
  record.gain.resize(static_cast<std::size_t>(layout.size));
  return record;
}

}  // namespace

BaseRecord::BaseRecord(const Layout& layout)
    : x(layout),
      mean(static_cast<std::size_t>(layout.size), 0.0),
      P(layout.size),
      F(layout.points.size()),
      rows(static_cast<std::size_t>(layout.floating ? most_rows(layout) : 0), room(layout)) {}

BaseFilter::BaseFilter(const Layout& layout)
    : layout_(layout),
      x_(layout),
      next_(layout),
      mean_(static_cast<std::size_t>(layout.size), 0.0),
      offset_(static_cast<std::size_t>(layout.size), 0.0),
      scratch_(6 * static_cast<std::size_t>(layout.size)),
      inverse_(SparseRow::most * SparseRow::most),
      F_(layout.points.size()),
      P_(layout.size) {}

/// With e_p the error of the base's place: δp = e_p − θ × p_base, as the base and the tracked frame turn as one; δv = e_v − θ ×
/// v.
void BaseFilter::start(const Knot& x, const Vector3& base, const StartDeviations& sd, const PointKinematics& points) noexcept {
  copy(x, x_);
  std::fill(mean_.begin(), mean_.end(), 0.0);
  P_.clear();
  const Matrix3 place_by_turn = hat(base);
  const auto column = [&](int axis, double variance, const auto& fill) {
    std::fill(offset_.begin(), offset_.end(), 0.0);
    fill(axis, offset_.data());
    for (int i = 0; i < P_.n; ++i)
      for (int k = 0; k < P_.n; ++k)
        P_.row(i)[k] += variance * offset_[static_cast<std::size_t>(i)] * offset_[static_cast<std::size_t>(k)];
  };
  const auto shift = [&](int axis, double* e) {
    e[Layout::place + axis] = 1;
    for (const ContactPoint& point : layout_.points) e[point.error + axis] = 1;
  };
  for (int axis = 0; axis < 3; ++axis) {
    column(axis, sd.turn[axis] * sd.turn[axis], [&](int a, double* e) {
      e[Layout::turn + a] = 1;
      for (int k = 0; k < 3; ++k) {
        e[Layout::place + k] = place_by_turn(k, a);
        for (const ContactPoint& point : layout_.points) e[point.error + k] = place_by_turn(k, a);
      }
    });
    column(axis, sd.place[axis] * sd.place[axis], shift);
    column(axis, sd.velocity[axis] * sd.velocity[axis], [](int a, double* e) { e[Layout::velocity + a] = 1; });
  }
  for (const Triad* t : {&layout_.gyroscope, &layout_.accelerometer})
    for (int k = 0; k < 3 && t->bias >= 0; ++k) P_.row(t->bias + k)[t->bias + k] = t->offset.sigma * t->offset.sigma;
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const PointGroup& group = layout_.groups[g];
    const double* const L = points.factor(g);
    const int rows = 3 * static_cast<int>(group.points.size());
    for (int c = 0; c < rows; ++c)
      column(c, 1.0, [&](int, double* e) {
        for (std::size_t p = 0; p < group.points.size(); ++p) {
          Vector3 noise{{0, 0, 0}};
          for (int k = 0; k < 3; ++k)
            if (const int r = 3 * static_cast<int>(p) + k; c <= r) noise[k] = L[r * rows + c];
          set_part(e, layout_.points[static_cast<std::size_t>(group.points[p])].error, x.R * noise);
        }
      });
  }
  for (std::size_t k = 0; k < layout_.points.size(); ++k) x_.footholds[k] = x_.p + x_.R * points.point(static_cast<int>(k));
}

void BaseFilter::start_about(const Knot& about) noexcept {
  local(layout_, x_, about, mean_.data());
  copy(about, x_);
}

const Knot& BaseFilter::predict(const InertialReading& reading, const Matrix3* turned) noexcept {
  inertial_step(layout_, x_, reading, turned, next_, F_);
  return next_;
}

void BaseFilter::carry_on(const InertialReading& reading, const StepNoise& noise, const Knot* about,
                          BaseRecord* record) noexcept {
  carry(layout_, F_, reading, noise, P_, scratch_);
  carry(layout_, F_, mean_.data());
  if (about) {
    local(layout_, next_, *about, offset_.data());
    for (std::size_t k = 0; k < mean_.size(); ++k) mean_[k] += offset_[k];
    copy(*about, x_);
  } else {
    copy(next_, x_);
  }
  if (!record) return;
  record->taken = 0;
  record->F.dt = F_.dt, record->F.turn_read = F_.turn_read, record->F.push_read = F_.push_read;
  record->F.turn_by_turn_rate = F_.turn_by_turn_rate, record->F.velocity_by_turn = F_.velocity_by_turn;
  record->F.velocity_by_turn_rate = F_.velocity_by_turn_rate, record->F.velocity_by_push = F_.velocity_by_push;
  record->F.place_by_turn_rate = F_.place_by_turn_rate;
  std::copy(F_.foothold_by_turn_rate.begin(), F_.foothold_by_turn_rate.end(), record->F.foothold_by_turn_rate.begin());
  std::copy(F_.foothold_by_turn.begin(), F_.foothold_by_turn.end(), record->F.foothold_by_turn.begin());
}

void BaseFilter::take(const SparseRow& row, bool counts, Innovations& sum, BaseRecord* record) noexcept {
  RowRecord* kept = record ? &record->rows[static_cast<std::size_t>(record->taken++)] : nullptr;
  const double square = P_.take(row, mean_.data(), kept);
  if (counts) sum.sum += square, ++sum.rows;
}

/// Rᵀ (d − p) = R̂ᵀ (d̂ − p̂ + δd − δp) exactly: a common turn drops out. Whitened by the group's factor, row by row.
void BaseFilter::take_points(std::size_t index, const PointKinematics& points, const std::vector<char>& counts,
                             Innovations& sum, BaseRecord* record) noexcept {
  const PointGroup& group = layout_.groups[index];
  const double* const L = points.factor(index);
  const int rows = 3 * static_cast<int>(group.points.size());
  constexpr int most = SparseRow::most;
  double z[most], white[most];  // readings minus predictions; whitened ones
  for (std::size_t p = 0; p < group.points.size(); ++p) {
    const int point = group.points[p];
    const Vector3 r = points.point(point) - transposed_times(x_.R, x_.footholds[static_cast<std::size_t>(point)] - x_.p);
    for (int k = 0; k < 3; ++k) z[3 * p + static_cast<std::size_t>(k)] = r[k];
  }
  // Row i of W = L⁻¹ by substitution: L Wz = z, and likewise for the columns of the rows.
  double* const inverse = inverse_.data();
  for (int i = 0; i < rows; ++i) {
    const double pivot = 1 / L[i * rows + i];
    for (int c = 0; c <= i; ++c) {
      double entry = c == i ? 1.0 : 0.0;
      for (int k = c; k < i; ++k) entry -= L[i * rows + k] * inverse[k * rows + c];
      inverse[i * rows + c] = entry * pivot;
    }
    white[i] = 0;
    for (int c = 0; c <= i; ++c) white[i] += inverse[i * rows + c] * z[c];
    SparseRow row;
    row.z = white[i];
    Vector3 place{{0, 0, 0}};
    for (int p = 0; 3 * p <= i; ++p) {
      Vector3 w{{0, 0, 0}};
      for (int k = 0; k < 3 && 3 * p + k <= i; ++k) w[k] = inverse[i * rows + 3 * p + k];
      const Vector3 in_world = x_.R * w;
      place -= in_world;
      for (int k = 0; k < 3; ++k)
        row.add(layout_.points[static_cast<std::size_t>(group.points[static_cast<std::size_t>(p)])].error + k, in_world[k]);
    }
    for (int k = 0; k < 3; ++k) row.add(Layout::place + k, place[k]);
    take(row, counts[static_cast<std::size_t>(group.points[static_cast<std::size_t>(i / 3)])] != 0, sum, record);
  }
}

/// The link's frame is at X = R x + p with x in the tracked frame: X = exp(θ) X̂ + δp, and its rotation exp(θ) times the
/// estimate's.
void BaseFilter::take_pose(const TrackedPose& pose, const PointKinematics& points, const double* reading, Innovations& sum,
                           BaseRecord* record) noexcept {
  const Pose<double> seen = Pose<double>{x_.R, x_.p} * points.in_tracked(pose.link, pose.frame);
  const Matrix3 arm = hat(seen.d);
  for (int k = 0; k < 3; ++k) {
    if (pose.inputs[k] < 0 || !std::isfinite(reading[k])) continue;
    SparseRow row;
    row.z = reading[k] - seen.d[k], row.noise = std::max(pose.sigma[k] * pose.sigma[k], 1e-12);
    for (int c = 0; c < 3; ++c) row.add(Layout::turn + c, -arm(k, c));
    row.add(Layout::place + k, 1.0);
    take(row, true, sum, record);
  }
  double u[4] = {reading[3], reading[4], reading[5], reading[6]};
  if (!pose.turns || !normalise_quaternion(u)) return;
  const Vector3 turn = logarithm(rotation_from_quaternion(u) * transpose(seen.R));
  for (int k = 0; k < 3; ++k) {
    SparseRow row;
    row.z = turn[k], row.noise = std::max(pose.sigma[3 + k] * pose.sigma[3 + k], 1e-12);
    row.add(Layout::turn + k, 1.0);
    take(row, true, sum, record);
  }
}

void BaseFilter::settle() noexcept {
  retract(layout_, mean_.data(), x_);
  std::fill(mean_.begin(), mean_.end(), 0.0);
}

void BaseFilter::take_state(const BaseFilter& other) noexcept {
  copy(other.x_, x_);
  std::copy(other.mean_.begin(), other.mean_.end(), mean_.begin());
  std::copy(other.P_.values.begin(), other.P_.values.end(), P_.values.begin());
}

bool BaseFilter::sound() const noexcept {
  double sum = dot(x_.p, x_.p) + dot(x_.v, x_.v) + dot(x_.gyroscope_bias, x_.gyroscope_bias) +
               dot(x_.accelerometer_bias, x_.accelerometer_bias);
  for (int i = 0; i < 3; ++i) sum += std::abs(x_.R(i, 0)) + std::abs(x_.R(i, 1)) + std::abs(x_.R(i, 2));
  for (const Vector3& d : x_.footholds) sum += dot(d, d);
  for (double e : mean_) sum += std::abs(e);
  return std::isfinite(sum) && P_.sound();
}

void BaseFilter::keep(BaseRecord& record) const noexcept {
  copy(x_, record.x);
  std::copy(mean_.begin(), mean_.end(), record.mean.begin());
  std::copy(P_.values.begin(), P_.values.end(), record.P.values.begin());
}

}  // namespace sparsedyn::tracking
