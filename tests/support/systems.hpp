// Systems to test on, without sensor-set files.
#pragma once

#include <memory>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::test {

/// q̈ and every external wrench given (by y, zero as a fall-back).
SensorSet inverse_dynamics_set();
/// τ and every external wrench given.
SensorSet forward_dynamics_set();

}  // namespace sparsedyn::test
