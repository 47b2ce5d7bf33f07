// Links that a sensor set declares free of load, perhaps by mistake.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn {

/// A sentence for each link that a wrench sensor on "*" excepts and whose wrench is zero all the same: it hangs on a fixed
/// joint, moves, and no wrench sensor and no "unknown" names it. Whoever excepts a sole means that the ground pushes there. The
/// names in `set` are those of the robot.
std::vector<std::string> unloaded_links(const Model& model, const SensorSet& set);

}  // namespace sparsedyn
