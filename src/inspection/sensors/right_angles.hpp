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
  Vec3<double> of(const Vec3<double>& x) const { return {{sign[0] * x[axis[0]], sign[1] * x[axis[1]], sign[2] * x[axis[2]]}}; }
  bool identity() const { return axis == std::array<int, 3>{0, 1, 2} && sign == std::array<int, 3>{1, 1, 1}; }
  /// "x reads -y, …".
  std::string words() const;
};

/// All of them, the identity first.
const std::vector<RightAngle>& right_angles();

}  // namespace sparsedyn::inspection
