#include "systems.hpp"

namespace sparsedyn::test {
namespace {

Sensor sensor(const std::string& name, const std::string& type) {
  Sensor s;
  s.name = name;
  s.type = type;
  return s;
}

/// One quantity of every joint, the base's as well, and every external wrench.
SensorSet joints_and_wrenches(const std::string& name, const std::string& type) {
  SensorSet set;
  set.name = name;
  Sensor joints = sensor("joints", type), base = sensor("base", type), air = sensor("air", "external_wrench");
  joints.all = air.all = true;
  base.targets = {{"base", 0}};
  base.optional = true;
  base.fallback = air.fallback = {0.0};
  set.sensors = {joints, base, air};
  return set;
}

}  // namespace

SensorSet inverse_dynamics_set() { return joints_and_wrenches("inverse-dynamics", "joint_acceleration"); }
SensorSet forward_dynamics_set() { return joints_and_wrenches("forward-dynamics", "joint_torque"); }

Sensor on_all(const std::string& name, const std::string& type, double sigma, bool bias) {
  Sensor s;
  s.name = name, s.type = type, s.all = true, s.bias = bias;
  if (sigma > 0)
    s.sigma = {sigma};
  else
    s.value = {0.0};
  return s;
}

}  // namespace sparsedyn::test
