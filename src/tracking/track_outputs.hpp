// The outputs of a tracker by name, and how they follow from a sample.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tracking/forward.hpp"

namespace sparsedyn::tracking {

/// What an output is written from.
struct Snapshot {
  const Knot& x;
  const Covariance& P;
  const JointState* joints;
  const double* stands;
  RateFilter rate;
  double nis;
};

class TrackOutputs {
 public:
  /// Throws UnknownTrackOutput.
  TrackOutputs(const Layout& layout, const TrackerOptions& options);

  const std::vector<std::string>& columns() const noexcept { return columns_; }
  /// All that can be asked for.
  std::vector<std::string> names() const;
  /// One number a column. No heap.
  void write(const Snapshot& sample, double* out) noexcept;
  /// Pose of the root link after write() or place_base().
  const Pose<double>& base() const noexcept { return base_; }
  void place_base(const Snapshot& sample) noexcept;

 private:
  enum class Kind {
    place,
    quaternion,
    turn,
    joint,
    base_turn_rate,
    base_velocity,
    joint_velocity,
    bias,
    foothold,
    contact,
    nis
  };
  struct Output {
    std::string name;
    Kind kind;
    int index = 0, component = 0;
  };
  void catalogue();
  void choose(const TrackerOptions& options);
  double value(const Output& output, const Snapshot& sample) const noexcept;
  void list_pairs();
  double variance(const Output& output, const Snapshot& sample) const noexcept;
  double pose_covariance(const Output& a, const Output& b, const Snapshot& sample) const noexcept;
  double velocity_covariance(const Output& a, const Output& b, const Snapshot& sample) const noexcept;
  static bool is_of_pose(const Output& output) { return output.kind == Kind::place || output.kind == Kind::turn; }
  static bool is_of_velocity(const Output& output) {
    return output.kind == Kind::base_turn_rate || output.kind == Kind::base_velocity;
  }
  Vector3 joint_part(int first, std::size_t joint) const noexcept;
  Matrix3 rate_covariance(const Snapshot& sample) const noexcept;

  const Layout& layout_;
  PointKinematics points_;
  std::vector<Output> all_, chosen_, deviations_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // of deviations_, whose covariances are written
  std::vector<std::string> columns_;
  std::vector<double> q_;
  Pose<double> base_ = identity_pose<double>(), base_in_tracked_ = identity_pose<double>();
  Motion<double> base_velocity_{zero3<double>(), zero3<double>()};  // in its own axes
  std::array<double, 4> quaternion_{{0, 0, 0, 1}};
  const double* jacobian_ = nullptr;  // of the base in the tracked frame, PointKinematics::base_jacobian()
};

}  // namespace sparsedyn::tracking
