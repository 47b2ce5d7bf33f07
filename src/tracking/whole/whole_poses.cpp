// What WholeForward makes of readings of a knot: cameras', and joints' own.
#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double largest_state_reading = 1e4;  // rad, m, rad/s, m/s
constexpr double spike = 1e4;                  // square of an encoder's innovation beside its variance: the reading is none
constexpr double longest_spike = 0.02;         // s, through which such readings are passed over

constexpr double least_pose_variance = 1e-12;  // m², rad²

}  // namespace

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

void WholeForward::take_encoders(const double* y, WholeSample* record) noexcept {
  const int before = layout_.model.nq - layout_.nv;
  for (std::size_t k = 0; k < layout_.knots.size(); ++k) {
    const KnotReading& reading = layout_.knots[k];
    if (!(std::abs(y[reading.input]) <= largest_state_reading)) continue;
    std::fill(h_.begin(), h_.end(), 0.0);
    h_[static_cast<std::size_t>(reading.position ? layout_.position_error(reading.v) : layout_.velocity_error(reading.v))] = 1;
    double rest = y[reading.input] - (reading.position ? x_.q[static_cast<std::size_t>(before + reading.v)]
                                                       : x_.dq[static_cast<std::size_t>(reading.v)]);
    if (reading.offset >= 0) {
      h_[static_cast<std::size_t>(reading.offset)] = 1;
      rest -= x_.offsets[static_cast<std::size_t>(reading.offset - layout_.first_offset)];
    }
    if (!passes_over(k, rest)) take(rest, reading.sigma * reading.sigma, 1e9, record);
  }
  e_.settle();
}

/// A floating robot's reading far off, beside the variance before this sample's encoders, is passed over, which `nis` tells: it
/// would throw the base. Where readings stay far off, and for a tenth of a second after that and at the start, the estimate may
/// be what is wrong, and all of them count.
bool WholeForward::passes_over(std::size_t k, double rest) noexcept {
  if (!layout_.floating) return false;
  const KnotReading& reading = layout_.knots[k];
  const int error = reading.position ? layout_.position_error(reading.v) : layout_.velocity_error(reading.v);
  double innovation = rest - e_.mean[static_cast<std::size_t>(error)], variance = e_.at(error, error);
  if (reading.offset >= 0) {
    innovation -= e_.mean[static_cast<std::size_t>(reading.offset)];
    variance += e_.at(reading.offset, reading.offset) + 2 * std::abs(e_.at(error, reading.offset));
  }
  const bool far = innovation * innovation > spike * (variance + reading.sigma * reading.sigma);
  Doubt& x = doubts_[k];
  x.passed_over = far ? x.passed_over + dt_ : 0;
  if (far && (x.left > 0 || x.passed_over > longest_spike))
    x.left = first_doubt;
  else
    x.left = std::max(0.0, x.left - dt_);
  if (!far || x.left > 0) return false;
  sum_ += spike, ++counted_;
  return true;
}

}  // namespace sparsedyn::tracking
