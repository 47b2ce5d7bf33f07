// Sensor sets that several benchmarks estimate by.
#pragma once

#include <string>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::bench {

/// Torques read twice, and accelerations: one of each joint.
inline const char* const gauged = R"({"sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
  {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

/// The sensors that the URDF describes, with noise, as further entries of a set's list.
inline std::string sensors_of(const std::string& urdf) {
  UrdfSensorSet set = load_urdf_sensors(urdf);
  for (UrdfSensor& s : set.sensors) s.sigma = {s.type == "accelerometer" ? 0.1 : s.type == "gyroscope" ? 0.01 : 0.5};
  const std::string text = json_text(set);
  const std::size_t first = text.find('['), last = text.rfind(']');
  return "," + text.substr(first + 1, last - first - 1);
}

}  // namespace sparsedyn::bench
