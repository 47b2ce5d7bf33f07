// The sensors that a URDF describes, in top-level <sensor> elements and in Gazebo's <gazebo reference="…"><sensor>.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn {

/// One sensor of a sensor set.
struct UrdfSensor {
  std::string name;           // unique in the set
  std::string type;           // accelerometer, gyroscope, angular_accelerometer or force_torque
  std::string at;             // a link; of a force_torque sensor a joint
  Vec3<double> xyz{}, rpy{};  // the sensor's frame in that link, of a force_torque sensor in the joint's child link
  std::string direction;      // force_torque: parent_to_child or child_to_parent
  std::vector<double> sigma;  // standard deviations, one a component of the type; empty where the file has none
};

/// What the file describes.
struct UrdfSensorSet {
  std::string name;                 // of the robot
  std::vector<UrdfSensor> sensors;  // in file order, the top-level ones first
};

/// The sensors of a robot, but for those on links and joints that `options` cuts off. One sensor a name: the top-level one goes
/// before Gazebo's. An imu becomes NAME_acc and NAME_gyro. A force_torque sensor is taken in the frame it reports in; where
/// that is the parent's across a moving joint, it is left out with a warning. What does not measure dynamics (cameras, rays,
/// bumpers) is passed over with one warning. Throws InputError and UnknownName as load_urdf does.
UrdfSensorSet load_urdf_sensors(const std::string& path, const LoadOptions& options = {}, LoadReport* report = nullptr);
/// The same from a text; messages call it `name`.
UrdfSensorSet parse_urdf_sensors(const std::string& text, const std::string& name, const LoadOptions& options = {},
                                 LoadReport* report = nullptr);

/// The sensor set as JSON, one sensor a line.
std::string json_text(const UrdfSensorSet& set);

}  // namespace sparsedyn
