// What the robot's inverse dynamics says of the torques along the motion, and how noisy that is.
#pragma once

#include "inspection/known_wrenches.hpp"
#include "inspection/tests.hpp"

namespace sparsedyn::inspection {

struct ModelTorques {
  std::vector<std::size_t> sample;  // that are compared: at most about `most`, evenly spread, without a gap
  std::vector<Series> tau, v, a;    // by freedom, of these samples
  /// Mean square of the noise of tau, by freedom: positions, velocities, accelerations and wrenches of the world are measured,
  /// and their noise passes through inverse dynamics. Its change by one draw of this noise at each of up to `draws` samples.
  std::vector<double> noise;
  /// Whether the wrench that the base would need is the log's (or none): nothing unmeasured acts on the robot.
  bool free = true;
  double unmeasured = 0;  // the rest of that wrench's force, in shares of the weight

  static constexpr std::size_t draws = 250;
  ModelTorques(Examination& x, const WholeMotion& motion, const KnownWrenches& wrenches, std::size_t most = 2500);
};

}  // namespace sparsedyn::inspection
