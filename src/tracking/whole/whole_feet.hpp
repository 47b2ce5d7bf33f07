// Where the points that touch the ground are in a floating robot, and how its joints move them.
#pragma once

#include "sparsedyn/dynamics/workspace.hpp"
#include "tracking/whole/whole_knot.hpp"

namespace sparsedyn::tracking {

class WholeFeet {
 public:
  explicit WholeFeet(const WholeLayout& layout);
  /// At the joints' positions of q (nq). No heap.
  void at(const double* q) noexcept;
  /// Of a point in the root link's frame: place, and Jacobian, 3 × nv row by row (columns of the base are zero).
  Vector3 point(int index) const noexcept { return places_[static_cast<std::size_t>(index)]; }
  const double* jacobian(int index) const noexcept {
    return jacobians_.data() + 3 * static_cast<std::size_t>(layout_.nv) * static_cast<std::size_t>(index);
  }
  /// Of a frame that a link_pose reads, in the root link's: place and orientation, and Jacobian, 6 × nv row by row, rotation
  /// first.
  const Pose<double>& pose(int index) const noexcept { return poses_[static_cast<std::size_t>(index)]; }
  const double* pose_jacobian(int index) const noexcept {
    return pose_jacobians_.data() + 6 * static_cast<std::size_t>(layout_.nv) * static_cast<std::size_t>(index);
  }
  /// How joints turn a point's link, in the root link's axes: 3 × nv row by row. No heap.
  void find_turn(int index, double* J) noexcept;
  /// Orientation of a link against the root link.
  Matrix3 link_rotation(int link) const noexcept;

 private:
  void find_jacobian(int link, const Vector3& in_link, int from_row, int rows, double* J) noexcept;

  const WholeLayout& layout_;
  Workspace<double> work_;
  std::vector<double> q_, jacobians_, pose_jacobians_, whole_;
  std::vector<Pose<double>> poses_;
  std::vector<Vector3> places_;
};

}  // namespace sparsedyn::tracking
