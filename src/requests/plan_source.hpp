// Where orders of elimination come from, for a user of the command line or of Python.
#pragma once

#include <memory>

#include "sparsedyn/runtime/plan_source.hpp"

namespace sparsedyn {

/// `stored`, if there is one; else the shipped plan that fits, else the recursive order if it is healthy, else the best that a
/// search finds; the user's cache keeps those of estimates.
PlanSource plans_for_the_user(std::shared_ptr<const StoredPlan> stored = nullptr);

}  // namespace sparsedyn
