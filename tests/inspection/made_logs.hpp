// Logs without a fault: smooth motions of robots that ship, with what their sensors read, noise and friction.
#pragma once

#include <random>
#include <string>

#include "sparsedyn/inspection/inspect.hpp"

namespace sparsedyn::test {

/// A robot that ships, with inertial sensors, a force/torque sensor and, where it floats, feet that carry it.
struct SensedRobot {
  std::string name;
  bool floating;
  Model model;
  SensorSet set;
  std::string torque_link;  // behind the force/torque sensor
};
/// "arm", "quadruped", "humanoid".
SensedRobot sensed_robot(const std::string& name);

struct MadeLogOptions {
  std::size_t samples = 1000;
  double rate = 100;
  bool with_velocity = true;
};

/// Sums of three sines of 0.1 to 0.7 Hz for each joint, within its limits; the base moves by 0.15 m and turns by half a radian.
/// Positions carry noise of 1e-4, velocities of 2e-3; torques 1 % of their size, and friction, damping and a rotor of 2 to 10 %
/// of it; sensors the deviations of the set. Two feet share what the base needs. No accelerations. Accelerations of sensors are
/// second differences of where they are; the force/torque sensor's wrench is that of rnea.
RecordedLog made_log(const SensedRobot& robot, unsigned seed, const MadeLogOptions& options = {});

}  // namespace sparsedyn::test
