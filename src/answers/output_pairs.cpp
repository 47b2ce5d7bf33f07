#include "output_pairs.hpp"

#include <algorithm>

namespace sparsedyn {

OutputPairs pairs_of(const System& system, const SensorSolverOptions& wanted) {
  OutputPairs pairs;
  if (wanted.deviations)
    for (const OutputPair& pair : system.sensors().covariances) pairs.emplace_back(pair.first.name, pair.second.name);
  return pairs;
}

void add_names(const OutputPairs& pairs, std::vector<std::string>& names) {
  for (const auto& pair : pairs)
    for (const std::string* name : {&pair.first, &pair.second})
      if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
}

std::vector<std::pair<int, int>> places_of(const OutputPairs& pairs, const Outputs& outputs) {
  const std::vector<std::string>& columns = outputs.columns();
  const auto place = [&](const std::string& name) {
    return static_cast<int>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  std::vector<std::pair<int, int>> places;
  for (const auto& [first, second] : pairs) places.emplace_back(place(first), place(second));
  return places;
}

}  // namespace sparsedyn
