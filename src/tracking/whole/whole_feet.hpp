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
  /// Orientation of a link against the root link.
  Matrix3 link_rotation(int link) const noexcept;

 private:
  const WholeLayout& layout_;
  Workspace<double> work_;
  std::vector<double> q_, jacobians_, whole_;
  std::vector<Vector3> places_;
};

}  // namespace sparsedyn::tracking
