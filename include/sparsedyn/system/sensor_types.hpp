// The catalogue of sensor types.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/measurement.hpp"

namespace sparsedyn {

enum class SensorTarget { joint, link };

struct SensorType {
  std::string name;
  SensorKind kind;
  SensorTarget target;
  bool framed;                          // takes xyz and rpy
  bool own_wrench;                      // naming a lumped link makes that link's wrench an unknown
  std::vector<std::string> components;  // none: those of the joint's torque or acceleration
  const char* stand_in;                 // "tau.", "ddq." or "fx.": columns that stand in for the sensor's own; "" none
};

const std::vector<SensorType>& sensor_types();
/// The type of that name, or nullptr.
const SensorType* find_sensor_type(const std::string& name);
std::vector<std::string> sensor_type_names();

}  // namespace sparsedyn
