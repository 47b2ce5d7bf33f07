#include "output_pairs.hpp"

namespace sparsedyn {

OutputPairs pairs_of(const System& system, const SensorSolverOptions& wanted) {
  OutputPairs pairs;
  if (wanted.deviations)
    for (const OutputPair& pair : system.sensors().covariances) pairs.emplace_back(pair.first.name, pair.second.name);
  return pairs;
}

}  // namespace sparsedyn
