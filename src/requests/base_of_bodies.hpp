// Base parameters of a robot's bodies, joints apart.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Places of parameters, and values with which they alone, all other numbers of bodies being zero, give the robot's dynamics.
struct BaseOfBodies {
  std::vector<int> columns;
  std::vector<double> values;
};

/// pi: all parameters of the robot. Throws UsageError in builds without identification. Offline: O(count³).
BaseOfBodies base_of_bodies(const Model& model, const std::vector<double>& pi);

}  // namespace sparsedyn
