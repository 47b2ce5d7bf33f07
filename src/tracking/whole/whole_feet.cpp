#include "tracking/whole/whole_feet.hpp"

#include <algorithm>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {

WholeFeet::WholeFeet(const WholeLayout& layout)
    : layout_(layout),
      work_(layout.model),
      q_(static_cast<std::size_t>(layout.model.nq)),
      jacobians_(3 * static_cast<std::size_t>(layout.nv) * layout.points.size()),
      pose_jacobians_(6 * static_cast<std::size_t>(layout.nv) * layout.poses.size()),
      whole_(6 * static_cast<std::size_t>(layout.nv)),
      poses_(layout.poses.size(), identity_pose<double>()),
      places_(layout.points.size()) {
  neutral(layout.model, q_.data());
}

void WholeFeet::at(const double* q) noexcept {
  const std::size_t first = layout_.floating ? 7 : 0;
  std::copy(q + first, q + q_.size(), q_.begin() + static_cast<std::ptrdiff_t>(first));
  forward_kinematics<double>(layout_.model, work_, q_.data(), nullptr, nullptr);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const ContactPoint& point = layout_.points[k];
    const Pose<double> link = link_pose(layout_.model, work_, point.link), root = link_pose(layout_.model, work_, 0);
    places_[k] = transposed_times(root.R, link.R * point.in_link + link.d - root.d);
    find_jacobian(point.link, point.in_link, 3, 3, jacobians_.data() + 3 * k * static_cast<std::size_t>(layout_.nv));
  }
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const TrackedPose& pose = layout_.poses[k];
    const Pose<double> root = link_pose(layout_.model, work_, 0);
    poses_[k] = inverse(root) * (link_pose(layout_.model, work_, pose.link) * pose.frame);
    find_jacobian(pose.link, pose.frame.d, 0, 6, pose_jacobians_.data() + 6 * k * static_cast<std::size_t>(layout_.nv));
  }
}

/// Rows from_row … of the Jacobian of a point, rotation first, turned into the root link's axes; columns of the base are zero.
void WholeFeet::find_jacobian(int link, const Vector3& in_link, int from_row, int rows, double* J) noexcept {
  const Matrix3 R = link_pose(layout_.model, work_, 0).R;
  const int nv = layout_.nv;
  point_jacobian(layout_.model, work_, link, Axes::world, in_link, whole_.data());
  for (int first = 0; first < rows; first += 3)
    for (int c = 0; c < nv; ++c) {
      const double* const from = whole_.data() + (from_row + first) * nv + c;
      const Vector3 column = transposed_times(R, Vector3{{from[0], from[nv], from[2 * nv]}});
      for (int r = 0; r < 3; ++r) J[(first + r) * nv + c] = c < layout_.base_freedoms ? 0.0 : column[r];
    }
}

void WholeFeet::find_turn(int index, double* J) noexcept {
  const ContactPoint& point = layout_.points[static_cast<std::size_t>(index)];
  find_jacobian(point.link, point.in_link, 0, 3, J);
}

Matrix3 WholeFeet::link_rotation(int link) const noexcept {
  return transpose(link_pose(layout_.model, work_, 0).R) * link_pose(layout_.model, work_, link).R;
}

}  // namespace sparsedyn::tracking
