// What the robot's inverse dynamics says of the torques along the motion.
#pragma once

#include "known_wrenches.hpp"
#include "tests.hpp"

namespace sparsedyn::inspection {

struct ModelTorques {
  std::vector<std::size_t> sample;  // that are compared: at most `most`, evenly spread, without a gap
  std::vector<Series> tau, v, a;    // by freedom, of these samples
  /// Whether the wrench that the base would need is the log's (or none): nothing unmeasured acts on the robot.
  bool free = true;

  static constexpr std::size_t most = 2500;
  ModelTorques(Examination& x, const WholeMotion& motion, const KnownWrenches& wrenches);
};

}  // namespace sparsedyn::inspection
