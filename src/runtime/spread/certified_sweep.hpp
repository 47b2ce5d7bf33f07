// Whether deviations may be left to the sweep of a plan.
#pragma once

#include "runtime/estimation/planned_order.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Whether the sweep of the plan's own order keeps its digits (deviations.hpp) at a few states, random and special ones, with
/// readings weighed as the set states it. False where nothing is wanted, or solves are cheaper. Cost: three factorisations
/// and sweeps a state; allocates.
bool sweep_keeps_digits(const System& system, const EstimatorPlan& plan, const Outputs& outputs, Spread wanted);
/// The same of the sweep for what is wanted that the plan's own order has planned already.
bool sweep_keeps_digits(const System& system, PlannedOrder& order, const Outputs& outputs, Spread wanted);

}  // namespace sparsedyn
