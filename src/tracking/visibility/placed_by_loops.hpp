// What neither link_pose nor a loop with the world tells of a floating base's place and yaw.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "tracking/shared/tracked_pose.hpp"

namespace sparsedyn::tracking {

/// Of base.x, base.y, base.z, base.yaw. Encoders read the joints and gravity tells roll and pitch, so a loop with the world is
/// left with the base's place p and yaw θ: J (δp, θ) = 0. A weld has four such rows of rank four, a pin three: it leaves the
/// turn about the vertical through its anchor, in which x, y and yaw take part. Two pins that are not one above the other leave
/// nothing.
std::vector<std::string> unplaced(const System& system, const std::vector<TrackedPose>& poses);

}  // namespace sparsedyn::tracking
