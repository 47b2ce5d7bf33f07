// Where encoders put contact points and links in the tracked frame, and with what deviation.
#pragma once

#include <vector>

#include "sparsedyn/dynamics/workspace.hpp"
#include "tracking/layout.hpp"

namespace sparsedyn::tracking {

/// One object a thread; takes all memory when it is built.
class PointKinematics {
 public:
  explicit PointKinematics(const Layout& layout);

  /// The robot at these positions of its joints (model.nq; the base's are passed over). No heap.
  void at(const double* q) noexcept;

  /// After at(): a frame on a link, and the root link, in the tracked frame.
  Pose<double> in_tracked(int link, const Pose<double>& frame) const noexcept;
  Pose<double> base_in_tracked() const noexcept;
  /// The place of a contact point in the tracked frame.
  Vector3 point(int index) const noexcept;

  /// Orientation of a contact point's link in the tracked frame.
  Matrix3 turned(int index) const noexcept;

  /// The covariances of the groups' places, and their factors. After at(), once before the next two. up: the vertical in the
  /// tracked frame. A foot that rolls counts as its lowest point (rolling.hpp): by the noise with which encoders read how far
  /// it has rolled its foothold is off as well. No heap.
  void find_deviations(const Vector3& up) noexcept;
  /// Lower factor L (row by row, of 3 rows a point) of the covariance of a group's places, Σ_j σ_j² J_j J_jᵀ + σ² 1.
  const double* factor(std::size_t group) const noexcept { return factors_[group].data(); }
  /// Its trace for one point, m².
  double variance(int point) const noexcept { return variance_[static_cast<std::size_t>(point)]; }

  /// Of the root link in the tracked frame, its turn and shift by each joint, in the root link's axes: 6 × nv row by row.
  const double* base_jacobian() noexcept;

 private:
  /// Of a joint's reading, by its entry of v; 0: it has none.
  double encoder_sigma(int v) const noexcept;
  void find_deviations(const PointGroup& group, const Vector3& up, double* covariance) noexcept;

  const Layout& layout_;
  Workspace<double> work_;
  std::vector<double> q_, jacobian_, tracked_jacobian_, columns_, variance_;
  std::vector<std::vector<double>> factors_;  // by group
  std::vector<int> encoded_;                  // by entry of v: the joint whose encoder is read
  Pose<double> tracked_;                      // in the root link's frame
};

}  // namespace sparsedyn::tracking
