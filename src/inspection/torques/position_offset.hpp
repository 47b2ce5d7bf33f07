// Positions with an offset, by the torques that they should have.
#pragma once

#include "inspection/tests.hpp"
#include "torque_misfit.hpp"

namespace sparsedyn::inspection {

/// Each position that lies beyond its limits by more than a tenth of their range is shifted within them to where the torques
/// fit best: least Σ log of the shares that fits as they stand leave, and the base's forces, over up to 120 samples; 24 shifts,
/// then between them. Where that sum falls by 3 or more, the shift is right: it is told in the finding, and taken off the
/// column and the motion. Others stay in x.far_beyond_limits.
void take_off_offsets(Examination& x, WholeMotion& motion, const std::vector<TorqueColumn>& columns);

}  // namespace sparsedyn::inspection
