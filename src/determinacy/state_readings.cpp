#include "state_readings.hpp"

#include <algorithm>

#include "model/names/units.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "system/sensors/link_motion.hpp"
#include "system/sensors/state_sensors.hpp"

namespace sparsedyn {
namespace {

std::string unit_of_component(const Model& model, const Measurement& m, std::size_t k) {
  const bool first_three = m.components[k] < 3;
  switch (m.kind) {
    case SensorKind::gyroscope: return "rad/s";
    case SensorKind::link_velocity: return first_three ? "rad/s" : "m/s";
    case SensorKind::link_pose: return first_three ? "m" : "";
    default: break;
  }
  const bool position = m.kind == SensorKind::joint_position;
  const Joint& joint = model.joints[static_cast<std::size_t>(m.joint)];
  const std::vector<std::string> names = position ? coordinate_names(model) : velocity_names(model);
  return unit_of(model,
                 (position ? "q." : "dq.") + names[static_cast<std::size_t>((position ? joint.q : joint.v) + m.components[k])]);
}

/// Its deviation is then one of a turn, in rad, of which a quaternion's components have half.
bool is_of_quaternion(const System& system, const Measurement& m, std::size_t k) {
  if (m.kind == SensorKind::link_pose) return m.components[k] >= 3;
  if (m.kind != SensorKind::joint_position) return false;
  const Joint& joint = system.model().tree().joints[static_cast<std::size_t>(m.joint)];
  const int at = joint.q + m.components[k];
  for (const Body& body : system.model().tree().bodies)
    if (at >= body.q && at < body.q + coordinates(body.joint))
      return coordinate_of(body.joint, at - body.q).measure == Measure::quaternion;
  return false;
}

}  // namespace

StateReadings::StateReadings(const System& system)
    : system_(system),
      work_(system),
      y_(system.inputs().size(), 0.0),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      q_(static_cast<std::size_t>(system.model().tree().nq)),
      v_(static_cast<std::size_t>(system.model().tree().nv)) {
  for (const Measurement& m : system.measurements()) {
    if (m.kind != SensorKind::gyroscope && !sensors::reads_state(m.kind)) continue;
    moves_ = moves_ || m.kind == SensorKind::gyroscope || m.kind == SensorKind::link_velocity;
    sensors_.push_back(&m);
    columns_.insert(columns_.end(), m.columns.begin(), m.columns.end());
    for (std::size_t k = 0; k < m.components.size(); ++k) units_.push_back(unit_of_component(system.model().tree(), m, k));
    for (std::size_t k = 0; k < m.sigma.size(); ++k)
      sigma_.push_back(is_of_quaternion(system, m, k) ? 0.5 * m.sigma[k] : m.sigma[k]);
  }
  predicted_.resize(columns_.size());
}

std::string StateReadings::what() const {
  const auto is_gyroscope = [](const Measurement* m) { return m->kind == SensorKind::gyroscope; };
  return std::all_of(sensors_.begin(), sensors_.end(), is_gyroscope) ? "gyroscopes" : "sensors of the state";
}

const double* StateReadings::predict(const double* q, const double* v) {
  if (moves_) system_.assemble(q, v, y_.data(), values_.data(), right_side_.data(), work_);
  if (const CoordinateMap* map = system_.model().coordinate_map.get()) {
    tree_positions(*map, q, q_.data());
    tree_rates(*map, v, v_.data());
  } else {
    std::copy(q, q + q_.size(), q_.begin());
    std::copy(v, v + v_.size(), v_.begin());
  }
  double* next = predicted_.data();
  for (const Measurement* m : sensors_) {
    if (m->kind == SensorKind::link_pose) {
      next = read_pose(*m, next);
    } else if (m->kind == SensorKind::link_velocity) {
      const Motion<double> velocity = sensors::sensor_velocity(*m, work_);
      for (int c : m->components) *next++ = component(velocity, c);
    } else if (m->kind != SensorKind::gyroscope) {
      next = read_joint(*m, next);
    } else {
      const Vec3<double> w = sensors::predicted_angular_velocity(*m, work_);
      for (int component : m->components) *next++ = w[component];
    }
  }
  return predicted_.data();
}

double* StateReadings::read_joint(const Measurement& m, double* next) const {
  const Joint& joint = system_.model().tree().joints[static_cast<std::size_t>(m.joint)];
  const bool position = m.kind == SensorKind::joint_position;
  for (int component : m.components)
    *next++ = position ? q_[static_cast<std::size_t>(joint.q + component)] : v_[static_cast<std::size_t>(joint.v + component)];
  return next;
}

double* StateReadings::read_pose(const Measurement& m, double* next) const {
  const Model& tree = system_.model().tree();
  const Link& link = tree.links[static_cast<std::size_t>(m.link)];
  Pose<double> pose = link.pose * m.frame;
  for (int b = link.body; b >= 0; b = tree.bodies[static_cast<std::size_t>(b)].parent)
    pose = joint_pose<double>(tree.bodies[static_cast<std::size_t>(b)], q_.data()) * pose;
  const std::array<double, 4> turn = quaternion_from_rotation(pose.R);
  for (int component : m.components)
    *next++ = component < 3 ? pose.d[component] : turn[static_cast<std::size_t>(component - 3)];
  return next;
}

}  // namespace sparsedyn
