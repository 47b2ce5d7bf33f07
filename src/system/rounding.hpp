// Numbers of a robot without the rounding that products of rotations leave in them.
#pragma once

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// Entries of the rotation, and lengths in m, below 1e-15 become 0.
Pose<double> without_rounding(Pose<double> p);
/// First and mixed second moments below 1e-15 of the inertia's own size become 0.
Inertia<double> without_rounding(Inertia<double> I);

/// Whether R is the identity, entry by entry: a turn of less than 1e-8 leaves 1 on the diagonal.
bool is_identity(const Mat3<double>& R);

}  // namespace sparsedyn
