#include "tracking/point_kinematics.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {
namespace {

std::size_t largest_group(const Layout& layout) {
  std::size_t most = 0;
  for (const PointGroup& group : layout.groups) most = std::max(most, group.points.size());
  return 3 * most;
}

/// A = L Lᵀ in place: the lower triangle of `n` rows.
void factorise(double* A, int n) noexcept {
  for (int k = 0; k < n; ++k) {
    double* const row = A + k * n;
    for (int j = 0; j <= k; ++j) {
      double sum = row[j];
      const double* const other = A + j * n;
      for (int c = 0; c < j; ++c) sum -= row[c] * other[c];
      row[j] = j < k ? sum / other[j] : std::sqrt(sum);
    }
  }
}

}  // namespace

PointKinematics::PointKinematics(const Layout& layout)
    : layout_(layout),
      work_(layout.model),
      q_(static_cast<std::size_t>(layout.model.nq)),
      jacobian_(6 * static_cast<std::size_t>(layout.model.nv)),
      tracked_jacobian_(jacobian_.size()),
      columns_(largest_group(layout) * static_cast<std::size_t>(layout.model.nv)),
      variance_(layout.points.size(), 0.0),
      encoded_(static_cast<std::size_t>(layout.model.nv), -1),
      tracked_(identity_pose<double>()) {
  neutral(layout.model, q_.data());
  for (const PointGroup& group : layout.groups) factors_.emplace_back(9 * group.points.size() * group.points.size());
  for (std::size_t j = 0; j < layout.joints.size(); ++j)
    if (!layout.joints[j].positions.empty()) encoded_[static_cast<std::size_t>(layout.joints[j].v)] = static_cast<int>(j);
}

double PointKinematics::encoder_sigma(int v) const noexcept {
  const int joint = encoded_[static_cast<std::size_t>(v)];
  return joint < 0 ? 0 : layout_.joints[static_cast<std::size_t>(joint)].positions.front().sigma;
}

void PointKinematics::at(const double* q) noexcept {
  for (const TrackedJoint& joint : layout_.joints) q_[static_cast<std::size_t>(joint.q)] = q[joint.q];
  forward_kinematics<double>(layout_.model, work_, q_.data(), nullptr, nullptr);
  tracked_ = link_pose(layout_.model, work_, layout_.link) * layout_.frame;
  point_jacobian(layout_.model, work_, layout_.link, Axes::world, layout_.frame.d, tracked_jacobian_.data());
}

Pose<double> PointKinematics::in_tracked(int link, const Pose<double>& frame) const noexcept {
  return inverse(tracked_) * (link_pose(layout_.model, work_, link) * frame);
}

Pose<double> PointKinematics::base_in_tracked() const noexcept { return inverse(tracked_); }

Vector3 PointKinematics::point(int index) const noexcept {
  const ContactPoint& point = layout_.points[static_cast<std::size_t>(index)];
  const Pose<double> link = link_pose(layout_.model, work_, point.link);
  return transposed_times(tracked_.R, link.R * point.in_link + link.d - tracked_.d);
}

Matrix3 PointKinematics::turned(int index) const noexcept {
  const int link = layout_.points[static_cast<std::size_t>(index)].link;
  return transpose(tracked_.R) * link_pose(layout_.model, work_, link).R;
}

void PointKinematics::find_deviations(const Vector3& up) noexcept {
  for (std::size_t g = 0; g < factors_.size(); ++g) find_deviations(layout_.groups[g], up, factors_[g].data());
}

/// A point is at r = R_tᵀ (p − p_t) in the tracked frame, and moves there by R_tᵀ (J_p − J_t − J_ω × (p − p_t)).
void PointKinematics::find_deviations(const PointGroup& group, const Vector3& up, double* covariance) noexcept {
  const int nv = layout_.model.nv, rows = 3 * static_cast<int>(group.points.size()),
            columns = static_cast<int>(group.joints.size());
  for (std::size_t p = 0; p < group.points.size(); ++p) {
    const ContactPoint& at = layout_.points[static_cast<std::size_t>(group.points[p])];
    Vector3 in_link = at.in_link, arm = tracked_.R * point(group.points[p]);
    if (at.rolls()) {
      const Vector3 down = -at.radius * (tracked_.R * up);
      arm += down, in_link += transposed_times(link_pose(layout_.model, work_, at.link).R, down);
    }
    point_jacobian(layout_.model, work_, at.link, Axes::world, in_link, jacobian_.data());
    for (int c = 0; c < columns; ++c) {
      const int v = group.joints[static_cast<std::size_t>(c)];
      const double noise = encoder_sigma(v);
      const auto entry = [&](const std::vector<double>& J, int r) { return J[static_cast<std::size_t>(r * nv + v)]; };
      const Vector3 turn{{entry(tracked_jacobian_, 0), entry(tracked_jacobian_, 1), entry(tracked_jacobian_, 2)}};
      Vector3 shift{{entry(jacobian_, 3) - entry(tracked_jacobian_, 3), entry(jacobian_, 4) - entry(tracked_jacobian_, 4),
                     entry(jacobian_, 5) - entry(tracked_jacobian_, 5)}};
      shift = transposed_times(tracked_.R, shift - cross(turn, arm));
      for (int r = 0; r < 3; ++r)
        columns_[static_cast<std::size_t>((3 * static_cast<int>(p) + r) * columns + c)] = noise * shift[r];
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k <= i; ++k) {
      const double* const a = columns_.data() + i * columns;
      const double* const b = columns_.data() + k * columns;
      double sum = 0;
      for (int c = 0; c < columns; ++c) sum += a[c] * b[c];
      if (i == k) {
        const ContactPoint& point = layout_.points[static_cast<std::size_t>(group.points[static_cast<std::size_t>(i / 3)])];
        const double own = layout_.contacts[static_cast<std::size_t>(point.contact)].settings->kinematics;
        sum += own * own;
      }
      covariance[i * rows + k] = sum;
    }
  for (std::size_t p = 0; p < group.points.size(); ++p) {
    double sum = 0;
    for (int k = 3 * static_cast<int>(p); k < 3 * static_cast<int>(p) + 3; ++k) sum += covariance[k * rows + k];
    variance_[static_cast<std::size_t>(group.points[p])] = sum;
  }
  factorise(covariance, rows);
}

/// The tracked frame moves in the root link by (J_ω, J_v); the root link in the tracked frame by −J_ω and −(J_v − J_ω × p_t).
const double* PointKinematics::base_jacobian() noexcept {
  const int nv = layout_.model.nv;
  for (int v = 0; v < nv; ++v) {
    const auto entry = [&](int r) { return tracked_jacobian_[static_cast<std::size_t>(r * nv + v)]; };
    const Vector3 turn{{entry(0), entry(1), entry(2)}}, shift{{entry(3), entry(4), entry(5)}};
    const Vector3 moved = shift - cross(turn, tracked_.d);
    for (int r = 0; r < 3; ++r) {
      jacobian_[static_cast<std::size_t>(r * nv + v)] = -turn[r];
      jacobian_[static_cast<std::size_t>((3 + r) * nv + v)] = -moved[r];
    }
  }
  return jacobian_.data();
}

}  // namespace sparsedyn::tracking
