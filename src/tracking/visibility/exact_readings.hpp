// What the sensors of a robot read, without noise and offsets, by the columns of a log.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparsedyn/dynamics/workspace.hpp"
#include "tracking/shared/contacts.hpp"
#include "tracking/whole/interval_rows.hpp"

namespace sparsedyn::tracking {

class ExactReadings {
 public:
  /// The system must outlive it. pushing: links whose contacts carry the robot.
  ExactReadings(const System& system, std::vector<int> pushing);
  /// By column: means over the interval of dt between (q0, v0) and (q1, v1), and what is read at its end. Forces of the links
  /// that push, and of closed loops, are the least that leave nothing to the base's own wrench (held_forces.hpp).
  const std::map<std::string, double>& of(const std::vector<double>& q0, const std::vector<double>& v0,
                                          const std::vector<double>& q1, const std::vector<double>& v1, double dt);

 private:
  void read_interval();
  void read_joints(const double* q, const double* v);
  void read_poses(const double* q);

  const System& system_;
  IntervalRows rows_;
  Workspace<double> work_;
  std::vector<int> forces_;  // of z: what pushes, and closed loops'
  std::vector<double> z_, none_;
  std::map<std::string, double> readings_;
};

}  // namespace sparsedyn::tracking
