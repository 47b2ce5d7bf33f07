// Orders by search, for a SensorSolver (answers/sensor_solver.hpp).
#pragma once

#include <memory>

#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/plan_source.hpp"

namespace sparsedyn {

/// Orders that are known beforehand where they are healthy, else the best that `optimise` and `plan_estimator` find. memory: of
/// what was searched (json/plans.hpp), or null.
PlanSource searched_plans(const OptimiseOptions& options = {}, std::shared_ptr<const PlanMemory> memory = nullptr);

}  // namespace sparsedyn
