// Sensors of the state, which follow from q and v, so that they have no row in x:
//   joint_position   the coordinates of a joint
//   joint_velocity   its velocities
//   link_pose        x y z of the sensor's origin in the world and the quaternion of its frame
//   link_velocity    the spatial velocity of the sensor's frame, in its axes
// StateReadings (determinacy) is what they should read.
#pragma once

#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

inline bool reads_state(SensorKind kind) {
  return kind == SensorKind::joint_position || kind == SensorKind::joint_velocity || kind == SensorKind::link_pose ||
         kind == SensorKind::link_velocity;
}

/// What they have in common: they are read, compared, and measure no unknown.
inline SensorType of_state(SensorKind kind, const char* name, SensorTarget target, std::vector<std::string> components) {
  SensorType t{kind, name, target, std::move(components), ""};
  t.gives_rows = t.measured = false;
  return t;
}

struct JointPosition : ConstantRows, NoConstants {
  static constexpr SensorKind kind = SensorKind::joint_position;
  static SensorType type() { return of_state(kind, "joint_position", SensorTarget::joint, {}); }
};

struct JointVelocity : ConstantRows, NoConstants {
  static constexpr SensorKind kind = SensorKind::joint_velocity;
  static SensorType type() { return of_state(kind, "joint_velocity", SensorTarget::joint, {}); }
};

struct LinkPose : ConstantRows, NoConstants {
  static constexpr SensorKind kind = SensorKind::link_pose;
  static SensorType type() {
    SensorType t = of_state(kind, "link_pose", SensorTarget::link, {"x", "y", "z", "qx", "qy", "qz", "qw"});
    t.framed = true;
    return t;
  }
};

struct LinkVelocity : ConstantRows, NoConstants {
  static constexpr SensorKind kind = SensorKind::link_velocity;
  static SensorType type() {
    SensorType t = of_state(kind, "link_velocity", SensorTarget::link, motion_components());
    t.framed = true;
    return t;
  }
};

}  // namespace sparsedyn::sensors
