// Pairs of outputs whose covariances a set wants.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/spread/covariances.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// Of the set, where deviations are asked for.
OutputPairs pairs_of(const System& system, const SensorSolverOptions& wanted);

}  // namespace sparsedyn
