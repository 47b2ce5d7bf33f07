// What a mean angular velocity over an interval says of the middle.
#pragma once

namespace sparsedyn::tracking {

/// Of the change of a base's angular velocity over an interval: by so much its mean is off.
constexpr double rate_inside = 0.1;

}  // namespace sparsedyn::tracking
