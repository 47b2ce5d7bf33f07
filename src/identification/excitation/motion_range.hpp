// How far and how fast each freedom may move, of its own limits and those of the joints that follow it.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct MotionRange {
  /// Throws std::invalid_argument for joints of several freedoms and for limits that contradict each other. Margin: share of
  /// each range that is left.
  MotionRange(const Model& model, double margin);
  /// Whether limits leave one position to the freedom.
  bool held(std::size_t freedom) const { return lower[freedom] == upper[freedom]; }
  std::vector<double> lower, upper, velocity, effort;  // by freedom; efforts may be infinite
};

}  // namespace sparsedyn
