// Sensors of the state (gyroscopes, joint_position, joint_velocity, link_pose, link_velocity) give no row in the accelerations
// and wrenches: what they should read follows from q and v, and is compared with the log.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

class StateReadings {
 public:
  explicit StateReadings(const System& system);

  /// y.SENSOR.x and so on.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Standard deviations that the set states, beside columns(); of a quaternion's components half of those of the angle.
  const std::vector<double>& sigma() const { return sigma_; }
  /// rad/s, m/s, rad, m, beside columns(); empty for components of quaternions.
  const std::vector<std::string>& units() const { return units_; }
  /// "gyroscopes", where there are no others.
  std::string what() const;
  /// rad/s, m/s, rad, m; quaternions x y z w of link_pose with w ≥ 0. One a column. Costs an assembly where a gyroscope or
  /// link_velocity reads.
  const double* predict(const double* q, const double* v);

 private:
  double* read_joint(const Measurement& m, double* next) const;
  double* read_pose(const Measurement& m, double* next) const;

  const System& system_;
  std::vector<const Measurement*> sensors_;
  bool moves_ = false;  // whether a gyroscope or a link_velocity is among them
  std::vector<std::string> columns_, units_;
  SystemWorkspace<double> work_;
  std::vector<double> sigma_, y_, values_, right_side_, predicted_, q_, v_;  // q_, v_: of the tree
};

}  // namespace sparsedyn
