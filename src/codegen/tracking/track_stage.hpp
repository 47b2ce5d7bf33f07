// Where feet are in the tracked frame, and how surely, as straight lines.
#pragma once

#include "sparsedyn/codegen/program.hpp"
#include "tracking/layout.hpp"

namespace sparsedyn {

/// q (layout.joints), and where feet roll up (the vertical in the tracked frame) → point (3 each), variance (the trace of its
/// covariance), white: of each group W = L⁻¹ with L Lᵀ the covariance of its places, the lower half row by row; and where feet
/// roll link (9 each), the orientations of their links in the tracked frame.
Program feet_stage(const tracking::Layout& layout);

}  // namespace sparsedyn
