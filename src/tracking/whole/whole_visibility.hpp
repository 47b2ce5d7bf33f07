// What the rows of the whole body do not see.
#pragma once

#include <string>
#include <vector>

#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

/// Offsets (`bias.SENSOR.C`) and walking components of wrenches (`fx.LINK.C`) along which the readings of a moving robot tell
/// nothing, whatever the motion. By the filter itself on a random motion; offline.
std::vector<std::string> unseen(const WholeLayout& layout, IntervalRows& rows);

}  // namespace sparsedyn::tracking
