#include "sparsedyn/system/sensor_types.hpp"

namespace sparsedyn {

const std::vector<SensorType>& sensor_types() {
  static const std::vector<std::string> wrench{"nx", "ny", "nz", "fx", "fy", "fz"};
  static const std::vector<SensorType> types{
      {"joint_torque", SensorKind::joint_torque, SensorTarget::joint, false, false, {}, "tau."},
      {"joint_acceleration", SensorKind::joint_acceleration, SensorTarget::joint, false, false, {}, "ddq."},
      {"external_wrench", SensorKind::external_wrench, SensorTarget::link, true, true, wrench, "fx."},
  };
  return types;
}

const SensorType* find_sensor_type(const std::string& name) {
  for (const SensorType& type : sensor_types())
    if (type.name == name) return &type;
  return nullptr;
}

std::vector<std::string> sensor_type_names() {
  std::vector<std::string> names;
  for (const SensorType& type : sensor_types()) names.push_back(type.name);
  return names;
}

}  // namespace sparsedyn
