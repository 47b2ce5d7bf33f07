// Systems to test on, without sensor-set files.
#pragma once

#include <memory>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::test {

/// q̈ and every external wrench given (by y, zero as a fall-back).
SensorSet inverse_dynamics_set();
/// τ and every external wrench given.
SensorSet forward_dynamics_set();
/// A sensor on every joint, or link, as its type has it; exact, and zero where the log does not say, for a sigma of 0.
Sensor on_all(const std::string& name, const std::string& type, double sigma, bool bias = false);

}  // namespace sparsedyn::test
