// How far a posture is from another: the change of each joint, angles of orientations, lengths of positions.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// away: gradient of ½ distance² at q on the tangent space (nv, written), which is as long as the distance; returns
/// distance² = Σ (q − q0)² + Σ angle² + Σ |p − p0|².
double distance_from(const Model& model, const double* q0, const double* q, double* away) noexcept;

}  // namespace sparsedyn
