// Numbers of a Tracker's estimate by name.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::test {

/// Where a tracker writes a column; throws std::out_of_range where it does not.
inline std::size_t column_of(const Tracker& tracker, const std::string& name) {
  const auto at = std::find(tracker.columns().begin(), tracker.columns().end(), name);
  if (at == tracker.columns().end()) throw std::out_of_range("no column " + name);
  return static_cast<std::size_t>(at - tracker.columns().begin());
}

}  // namespace sparsedyn::test
