// The plans in patterns/, as the build compiles them in (cmake/shipped_plans.cmake).
#pragma once

#include <vector>

namespace sparsedyn {

/// What a plan file keeps of an order.
struct ShippedPlan {
  const char *strategy, *fingerprint, *numbers, *formulation;
  std::vector<int> rows, columns;
};

const std::vector<ShippedPlan>& shipped_plans();

}  // namespace sparsedyn
