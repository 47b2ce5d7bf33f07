// Pairs of outputs whose covariances are wanted, among outputs by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/spread/covariances.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// Of the set, where deviations are asked for.
OutputPairs pairs_of(const System& system, const SensorSolverOptions& wanted);
/// After the names, each of the pairs' that is not among them.
void add_names(const OutputPairs& pairs, std::vector<std::string>& names);
/// Their columns.
std::vector<std::pair<int, int>> places_of(const OutputPairs& pairs, const Outputs& outputs);

}  // namespace sparsedyn
