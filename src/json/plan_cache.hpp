// Plans that were searched, kept in the user's cache.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/file_cache.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// Plans of one system's estimator, by the rows that are missing. Keys cover the version, the system's structure and numbers,
/// standard deviations, priors and the rows. What is read is checked as a plan file is; a file that is broken, or not for this
/// system, counts as none. Orders of other numbers would do no harm either: every estimate is judged by its backward error.
class PlanCache {
 public:
  /// `system` must outlive it.
  explicit PlanCache(const System& system);

  /// `missing`: a flag for each row of the system, or none for the plan of all rows. Nothing where none is kept.
  std::shared_ptr<const EstimatorPlan> find(const std::vector<char>& missing) const;
  /// Keeps the plan's order, where the user has a cache; of the plan of all rows, those for gaps too.
  void keep(const std::vector<char>& missing, const EstimatorPlan& plan) const;

 private:
  std::string key(const std::vector<char>& missing) const;

  const System& system_;
  FileCache files_;
};

}  // namespace sparsedyn
