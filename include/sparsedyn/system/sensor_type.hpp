// What the catalogue says about a type of sensor.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// One a type of the catalogue.
enum class SensorKind {
  joint_torque,
  joint_acceleration,
  external_wrench,
  load_cell,
  centre_of_pressure,
  force_torque,
  accelerometer,
  gyroscope,
  imu,
  angular_accelerometer,
  link_acceleration,
  contact,
  com_acceleration,
  momentum_rate,
  torque_combination,
  joint_position,
  joint_velocity,
  link_pose,
  link_velocity,
  normal_force
};

/// What a sensor sits on. any_joint: fixed joints too, by the joint's child link.
enum class SensorTarget { joint, any_joint, link, robot };

/// A type of the catalogue.
struct SensorType {
  SensorKind kind;                      // which
  std::string name;                     // as sets call it
  SensorTarget target;                  // what it sits on
  std::vector<std::string> components;  // none: those of the joint's torque or acceleration
  std::string stand_in;                 // "tau.", "ddq.", "fx.": log columns that stand in for the sensor's own
  bool framed = false;                  // takes xyz and rpy
  bool own_wrench = false;              // naming a lumped link makes that link's wrench an unknown
  bool gives_rows = true;               // it has equations
  bool measured = true;                 // its components are columns of the log
  bool on_right = true;                 // the right-hand side is the reading; else it is zero
  bool varies = false;                  // entries or right-hand side depend on the state
  bool needs_world = false;             // … on poses in the world
  std::vector<std::string> keys = {};   // in JSON, beyond those that all types have
};

/// The catalogue.
const std::vector<SensorType>& sensor_types();
/// The type of that name, or nullptr.
const SensorType* find_sensor_type(const std::string& name);
/// The type of that kind.
const SensorType& sensor_type(SensorKind kind);
/// All names, in the order of the catalogue.
std::vector<std::string> sensor_type_names();

}  // namespace sparsedyn
