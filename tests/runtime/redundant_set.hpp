// A sensor set that knows more than the dynamics need.
#pragma once

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::test {

inline Sensor sensor(const std::string& name, const std::string& type, std::vector<double> sigma) {
  Sensor s;
  s.name = name, s.type = type, s.all = true, s.sigma = std::move(sigma);
  return s;
}

/// Torques and accelerations of all joints, wrenches on every link: one row a freedom too many.
inline SensorSet redundant_set(bool floating) {
  SensorSet set;
  set.name = "redundant";
  set.sensors = {sensor("motors", "joint_torque", {0.3}), sensor("encoders", "joint_acceleration", {0.05}),
                 sensor("skin", "external_wrench", {0.02, 0.02, 0.02, 0.4, 0.4, 0.4})};
  if (floating) {
    Sensor base = sensor("free", "joint_torque", {});
    base.all = false, base.targets = {{"base", 0}}, base.value = {0.0};
    Sensor gyro = sensor("imu", "joint_acceleration", {0.1});
    gyro.all = false, gyro.targets = {{"base", 0}};
    set.sensors.push_back(base), set.sensors.push_back(gyro);
  }
  return set;
}

}  // namespace sparsedyn::test
