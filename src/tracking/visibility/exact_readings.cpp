#include "tracking/visibility/exact_readings.hpp"

#include <algorithm>
#include <array>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "tracking/visibility/held_forces.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

ExactReadings::ExactReadings(const System& system, std::vector<int> pushing)
    : system_(system),
      rows_(system, WholeLayout::freed_link(system)),
      work_(system.model()),
      z_(rows_.free_unknowns().size(), 0.0),
      none_(system.inputs().size(), 0.0) {
  for (std::size_t k = 0; k < z_.size(); ++k) {
    const Variable& x = system.unknowns()[static_cast<std::size_t>(rows_.free_unknowns()[k])];
    if (x.kind == VariableKind::fx && std::count(pushing.begin(), pushing.end(), x.owner))
      forces_.push_back(static_cast<int>(k));
  }
  for (int k : loop_forces(system, rows_)) forces_.push_back(k);
}

void ExactReadings::read_interval() {
  for (std::size_t i = 0; i < rows_.equations().size(); ++i)
    if (const int input = system_.input_of(rows_.equations()[i]); input >= 0)
      for (const std::string& column : system_.inputs()[static_cast<std::size_t>(input)].columns)
        readings_[column] = -rows_.residual(static_cast<int>(i));
  for (std::size_t i = 0; i < rows_.turn_rows().size(); ++i) {
    const IntervalRows::TurnRow& turn = rows_.turn_rows()[i];
    const Measurement& m = system_.measurements()[static_cast<std::size_t>(turn.measurement)];
    readings_[m.columns[static_cast<std::size_t>(turn.component)]] = rows_.residual(rows_.first_turn() + static_cast<int>(i));
  }
}

void ExactReadings::read_joints(const double* q, const double* v) {
  for (const Measurement& m : system_.measurements()) {
    const bool position = m.kind == SensorKind::joint_position;
    if (!position && m.kind != SensorKind::joint_velocity) continue;
    const Joint& joint = system_.model().joints[static_cast<std::size_t>(m.joint)];
    for (std::size_t k = 0; k < m.components.size() && !joint.follows(); ++k)
      readings_[m.columns[k]] = position ? q[joint.q + m.components[k]] : v[joint.v + m.components[k]];
  }
}

void ExactReadings::read_poses(const double* q) {
  forward_kinematics<double>(system_.model(), work_, q, nullptr, nullptr);
  for (const Measurement& m : system_.measurements()) {
    if (m.kind != SensorKind::link_pose) continue;
    const Pose<double> pose = link_pose(system_.model(), work_, m.link) * m.frame;
    const std::array<double, 4> u = quaternion_from_rotation(pose.R);
    const double x[7] = {pose.d[0], pose.d[1], pose.d[2], u[0], u[1], u[2], u[3]};
    for (std::size_t k = 0; k < m.components.size(); ++k) readings_[m.columns[k]] = x[m.components[k]];
  }
}

const std::map<std::string, double>& ExactReadings::of(const std::vector<double>& q0, const std::vector<double>& v0,
                                                       const std::vector<double>& q1, const std::vector<double>& v1,
                                                       double dt) {
  std::vector<double> middle(q0), step(v0), v(v0);
  difference(system_.model(), q0.data(), q1.data(), step.data());
  for (std::size_t k = 0; k < v.size(); ++k) step[k] *= 0.5, v[k] = 0.5 * (v0[k] + v1[k]), z_[k] = (v1[k] - v0[k]) / dt;
  integrate(system_.model(), q0.data(), step.data(), middle.data());
  hold_exact_rows(system_, rows_, forces_, middle.data(), v.data(), none_, z_);
  rows_.find(middle.data(), v.data(), none_.data(), z_.data());
  read_interval();
  read_joints(q1.data(), v1.data());
  read_poses(q1.data());
  return readings_;
}

}  // namespace sparsedyn::tracking
