// What sensors tell of a state over time and what they cannot, by name, before there is a log. Offline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn {

/// What no reading sees while a robot moves, stands or hangs in one way.
struct SituationOverTime {
  std::string name;  // "in motion", "at rest", "at rest on NAME alone"
  /// `base.x`, `.y`, `.z`; `base.roll`, `.pitch`, `.yaw`, turns about the world's x, y, z; `base.vx`, `.vy`, `.vz`, of the
  /// base's velocity; offsets `bias.SENSOR.C`; `model_wrench.C`; forces of closed loops `lambda.NAME.C`; of a fixed base
  /// components `fx.LINK.C`.
  std::vector<std::string> unseen;
};

/// Of a floating robot: in motion with all feet standing, at rest on all of them, at rest on each alone; of a fixed base: in
/// motion. A Tracker with deviations a hundred times those that the set states, a twentieth of the noise, and no walk of
/// offsets, goes over exact readings of such motions; what keeps a tenth of its deviation is unseen. So of a tilt and an offset
/// that only their sum is read of, both are named. Closed loops of the set stay closed in these motions. The first is "in
/// motion". Throws Untrackable. Cost: 200 steps of the Tracker each.
std::vector<SituationOverTime> unseen_over_time(const std::shared_ptr<const System>& system,
                                                TrackRows rows = TrackRows::automatic);

}  // namespace sparsedyn
