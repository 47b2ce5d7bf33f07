// The 24 rotations that map axes on axes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn::inspection {

/// Component k of the turned vector is sign[k] times component axis[k].
struct RightAngle {
  std::array<int, 3> axis, sign;
  /// "x reads -y, …".
  std::string words() const;
};

/// All of them, the identity first.
const std::vector<RightAngle>& right_angles();

}  // namespace sparsedyn::inspection
