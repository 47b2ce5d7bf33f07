// What WholeForward makes of readings of a link's place and orientation.
#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

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

}  // namespace sparsedyn::tracking
