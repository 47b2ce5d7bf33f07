// What WholeForward makes of readings at an interval's end: encoders, and a link's place and orientation.
#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double least_pose_variance = 1e-12;  // m², rad²
constexpr double loop_closes = 1e-6;           // m, rad, within which a loop is closed at an instant
constexpr double largest_state_reading = 1e4;  // rad, m, rad/s, m/s

}  // namespace

void WholeForward::take_encoders(const double* y, WholeSample* record) noexcept {
  for (std::size_t k = 0; k < layout_.knots.size(); ++k) {
    const KnotReading& reading = layout_.knots[k];
    if (!(std::abs(y[reading.input]) <= largest_state_reading)) continue;
    std::fill(h_.begin(), h_.end(), 0.0);
    const int error = reading.position ? layout_.position_error(reading.v) : layout_.velocity_error(reading.v);
    h_[static_cast<std::size_t>(error)] = 1;
    double rest = y[reading.input] - (reading.position ? x_.q[static_cast<std::size_t>(layout_.coordinate(reading.v))]
                                                       : x_.dq[static_cast<std::size_t>(reading.v)]);
    if (reading.offset >= 0) {
      h_[static_cast<std::size_t>(reading.offset)] = 1;
      rest -= x_.offsets[static_cast<std::size_t>(reading.offset - layout_.first_offset)];
    }
    if (!passes_over(is_far(error, reading.offset, reading.sigma, rest), doubts_[k]))
      take(rest, reading.sigma * reading.sigma, 1e9, record);
  }
  for (std::size_t k = 0; k < layout_.group_readings.size(); ++k)
    take_group(layout_.group_readings[k], doubts_[layout_.knots.size() + k], y, record);
  e_.settle();
}

/// δ = δ̂ with x ⊕ δ̂ what is read: of turns one freedom after the other, of shifts along the axes in which they are read.
void WholeForward::take_group(const GroupReading& reading, ReadingDoubt& doubt, const double* y, WholeSample* record) noexcept {
  const GroupJoint& group = layout_.groups[static_cast<std::size_t>(reading.group)];
  const int error = layout_.position_error(group.v);
  double delta[6], widest = 0;
  for (int c = 0; c < group.coordinates; ++c) {
    const double at = y[reading.inputs[static_cast<std::size_t>(c)]];
    if (!(std::abs(at) <= largest_state_reading)) return;
    q_middle_[static_cast<std::size_t>(group.q + c)] = at;
  }
  if (!group.normalise(q_middle_.data())) return;
  group.difference(x_.q.data(), q_middle_.data(), delta);
  for (int k = 0; k < group.freedoms; ++k)
    if (is_shift(group.joint, k)) widest = std::max(widest, reading.sigma[static_cast<std::size_t>(k)]);
  bool far = false;
  for (int k = 0; k < group.freedoms; ++k) {
    const double sigma = is_shift(group.joint, k) ? widest : reading.sigma[static_cast<std::size_t>(k)];
    far = far || is_far(error + k, -1, sigma, delta[k]);
  }
  if (passes_over(far, doubt)) return;
  for (int k = 0; k < group.freedoms; ++k) {
    const double sigma = reading.sigma[static_cast<std::size_t>(k)];
    std::fill(h_.begin(), h_.end(), 0.0);
    double* const row = h_.data() + error;
    if (is_shift(group.joint, k))
      group.coordinate_row(x_.q.data(), group.coordinate_beside(k), row);
    else
      row[k] = 1;
    double rest = 0;
    for (int f = 0; f < group.freedoms; ++f) rest += row[f] * delta[f];
    take(rest, sigma * sigma, 1e9, record);
  }
}

/// Beside the variance before this sample's encoders.
bool WholeForward::is_far(int error, int offset, double sigma, double rest) const noexcept {
  double innovation = rest - e_.mean[static_cast<std::size_t>(error)], variance = e_.at(error, error);
  if (offset >= 0) {
    innovation -= e_.mean[static_cast<std::size_t>(offset)];
    variance += e_.at(offset, offset) + 2 * std::abs(e_.at(error, offset));
  }
  return is_spike(innovation, variance + sigma * sigma);
}

/// A floating robot's reading far off is passed over, which `nis` tells: it would throw the base.
bool WholeForward::passes_over(bool far, ReadingDoubt& x) noexcept {
  if (!layout_.floating || !x.passes_over(far, dt_)) return false;
  sum_ += spike, ++counted_;
  return true;
}

/// φ(q̂) + J δq = 0; a base's twist in its own axes is (Rᵀ θ, Rᵀ (δp + θ × p)). Where the base is does not matter to a loop
/// within the robot; one to the world is turned about its anchor there (loop_turns.hpp).
void WholeForward::take_loops(WholeSample* record) noexcept {
  if (loops_.rows() == 0) return;
  const double of_readings = surprise_;
  loops_.at(x_.q.data());
  const Matrix3 R = layout_.floating ? x_.R() : identity3<double>();
  for (int row = 0; row < loops_.rows(); ++row) {
    const double* const J = loops_.jacobian(row);
    std::fill(h_.begin(), h_.end(), 0.0);
    if (layout_.floating && !loops_.within_robot(row)) {
      const Vector3 shift = R * part_of(J, 3);
      put_part(h_.data(), WholeLayout::turn, R * part_of(J, 0) + cross(x_.p(), shift) - loops_.turned_error(row));
      put_part(h_.data(), WholeLayout::place, shift);
    }
    for (int v = layout_.base_freedoms; v < layout_.nv; ++v) h_[static_cast<std::size_t>(layout_.position_error(v))] = J[v];
    take(-loops_.error(row), loop_closes * loop_closes, 0, record);
  }
  surprise_ = of_readings;  // loops are no readings
  e_.settle();
}

/// h becomes the row of place x = p + R r(q) (its component k): δp + θ × x + R J δq; or of a turn, θ + R J_ω δq.
void WholeForward::put_pose_row(const Matrix3& R, const double* J, const Vector3* x, int k) noexcept {
  std::fill(h_.begin(), h_.end(), 0.0);
  if (x) {
    h_[static_cast<std::size_t>(WholeLayout::place + k)] = 1;
    const Matrix3 arm = hat(*x);
    for (int c = 0; c < 3; ++c) h_[static_cast<std::size_t>(WholeLayout::turn + c)] = -arm(k, c);
  } else {
    h_[static_cast<std::size_t>(WholeLayout::turn + k)] = 1;
  }
  for (int v = layout_.base_freedoms; v < layout_.nv; ++v)
    for (int i = 0; i < 3; ++i) h_[static_cast<std::size_t>(layout_.position_error(v))] += R(k, i) * J[i * layout_.nv + v];
}

/// Gaps, and an orientation that is none, say nothing.
void WholeForward::take_poses(const double* y, WholeSample* record) noexcept {
  const Matrix3 R = x_.R();
  for (std::size_t m = 0; m < layout_.poses.size(); ++m) {
    const TrackedPose& pose = layout_.poses[m];
    const Pose<double> in_root = feet_.pose(static_cast<int>(m));
    const double* const J = feet_.pose_jacobian(static_cast<int>(m));
    const Vector3 x = x_.p() + R * in_root.d;
    const auto variance = [&](int k) { return std::max(pose.sigma[k] * pose.sigma[k], least_pose_variance); };
    for (int k = 0; k < 3; ++k) {
      if (pose.inputs[k] < 0 || !(std::abs(y[pose.inputs[k]]) <= largest_place)) continue;
      put_pose_row(R, J + 3 * layout_.nv, &x, k);
      take(y[pose.inputs[k]] - x[k], variance(k), 1e9, record);
    }
    double u[4];
    for (int k = 0; k < 4; ++k) u[k] = pose.turns ? y[pose.inputs[3 + k]] : 0.0;
    if (!pose.turns || !normalise_quaternion(u)) continue;
    const Vector3 turn = logarithm(rotation_from_quaternion(u) * transpose(R * in_root.R));
    for (int k = 0; k < 3; ++k) {
      put_pose_row(R, J, nullptr, k);
      take(turn[k], variance(3 + k), 1e9, record);
    }
  }
  e_.settle();
}

}  // namespace sparsedyn::tracking
