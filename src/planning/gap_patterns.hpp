// The patterns of gaps in the samples of a log: which readings are missing together.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

class GapPatterns {
 public:
  /// A sample's readings, NaN where one is missing.
  void add(const System& system, const double* y) {
    std::vector<char> missing = missing_rows(system, y);
    if (std::find(missing.begin(), missing.end(), char(1)) != missing.end()) ++often_[std::move(missing)];
  }
  /// The distinct patterns (a flag for each row of the system), those that come most often first.
  std::vector<std::vector<char>> by_frequency() const {
    std::vector<std::pair<std::vector<char>, long>> counted(often_.begin(), often_.end());
    std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::vector<char>> patterns;
    for (auto& [missing, count] : counted) patterns.push_back(std::move(missing));
    return patterns;
  }

 private:
  std::map<std::vector<char>, long> often_;
};

}  // namespace sparsedyn
