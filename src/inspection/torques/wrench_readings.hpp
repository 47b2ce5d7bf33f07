// Wrenches of the world on the links, by the torques that hold them.
#pragma once

#include "inspection/tests.hpp"
#include "torque_misfit.hpp"

namespace sparsedyn::inspection {

/// force_sign and force_unit of measured wrenches: of each, other signs and units are tried over up to 120 samples. One is
/// told, and taken off the columns, where the torques (and what a floating base needs) fit it by far better than the wrench as
/// it stands and than none.
void take_off_wrench_readings(Examination& x, const WholeMotion& motion, const std::vector<TorqueColumn>& columns);

}  // namespace sparsedyn::inspection
