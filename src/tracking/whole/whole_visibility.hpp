// What the rows of the whole body do not see.
#pragma once

#include <string>
#include <vector>

#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

/// Offsets (`bias.SENSOR.C`) and walking components of wrenches (`fx.LINK.C`) along which the readings of a moving robot tell
/// nothing, whatever the motion. By the filter itself on a random motion, with closed loops one that keeps them closed;
/// offline. Where the filter loses such a motion, or there is none, `why` says so and nothing is known.
std::vector<std::string> unseen(const WholeLayout& layout, IntervalRows& rows, std::string& why);

}  // namespace sparsedyn::tracking
