// Six ways to know a robot's dynamics, for any robot.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn::bench {

struct KnownRobot {
  SensorSet set;
  std::vector<std::string> outputs;  // what one would ask for
};

/// inverse-dynamics and forward-dynamics; hybrid: accelerations and torques of joints in turn; wrist: an unknown wrench on the
/// last link and a force/torque sensor at its joint; foot: forward dynamics with the last link's origin held in place; gyros:
/// the accelerations of every second joint seen by an angular accelerometer on its link.
std::vector<KnownRobot> six_sets(const Model& model);

}  // namespace sparsedyn::bench
