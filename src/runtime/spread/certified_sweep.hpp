// Whether deviations may be left to the sweep of a plan.
#pragma once

#include "runtime/spread/spread_plan.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Whether the sweep of the plan's own order keeps its digits (deviations.hpp) at a few states, random and special ones, with
/// readings weighed as the set states it. False where nothing is wanted, or solves are cheaper. Cost: two factorisations and
/// sweeps a state; allocates.
bool sweep_keeps_digits(const System& system, const EstimatorPlan& plan, const Outputs& outputs, Spread wanted);

}  // namespace sparsedyn
