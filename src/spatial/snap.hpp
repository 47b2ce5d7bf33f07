// Rotations of a file, such as rpy="1.5708 0 0", meant to be exact.
#pragma once

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// Entries of the rotation R within `tolerance` of 0 become 0, entries that are then alone in their row and column ±1, and the
/// rest is made orthonormal around them. An entry near ±1 beside others that are not near 0 stays: 1 − 1e-9 belongs to a
/// turn of 4e-5, which is no rounding. Returns how many entries became exact.
int snap(Mat3<double>& R, double tolerance);

/// The same for a unit vector.
int snap(Vec3<double>& axis, double tolerance);

}  // namespace sparsedyn
