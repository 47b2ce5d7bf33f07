// From one <sensor> element to the sensors it stands for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "robot_elements.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::urdf {

/// A <sensor>, and what Gazebo's <gazebo reference="…"> around it refers to (nullptr: a top-level one, which says so itself).
struct SensorElement {
  const tinyxml2::XMLElement* element;
  const tinyxml2::XMLElement* gazebo;
  std::string name, type;
};

/// Whether sensors of this type measure what a sensor set can hold.
bool measures_dynamics(const std::string& type);

/// None (left out with a warning), one, or for an imu two.
std::vector<UrdfSensor> read_sensor(const XmlFile& file, const RobotElements& robot, const SensorElement& sensor,
                                    LoadReport& report);

/// Standard deviations of three axes from SDF's <noise> elements, such as <imu><linear_acceleration><x><noise><stddev>; zeros
/// where `quantity` (<linear_acceleration>) is nullptr or holds none.
Vec3<double> read_deviations(const XmlFile& file, const tinyxml2::XMLElement* quantity, const std::string& owner);

}  // namespace sparsedyn::urdf
