// Numbers of a robot without the rounding that products of rotations leave in them.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The largest distance between the frames of a robot that move together, in m: what the rounding of lengths is beside.
double largest_length(const Model& model);

/// Entries of the rotation below 1e-15, and lengths below 4e-15 of the largest, become 0.
Pose<double> without_rounding(Pose<double> p, double largest);
/// First and mixed second moments below 1e-15 of the inertia's own size become 0.
Inertia<double> without_rounding(Inertia<double> I);

/// Whether R is the identity, entry by entry: a turn of less than 1e-8 leaves 1 on the diagonal.
bool is_identity(const Mat3<double>& R);

}  // namespace sparsedyn
