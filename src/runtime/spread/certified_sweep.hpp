// Whether deviations may be left to the sweep of a plan, and which.
#pragma once

#include <vector>

#include "runtime/estimation/planned_order.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A sweep at a few states, random and special ones, with readings weighed as the set states it.
struct SweepTrial {
  int states = 0;             // at which the order has factors
  std::vector<double> moved;  // by what each variance moves at most, beside itself (Deviations::note_movements): of outputs, of
                              // rows' residuals, of pairs

  /// Whether the sweep was tried at enough states to stand for all, and no variance moved by more than this.
  bool within(double most) const noexcept;
};

/// Of what is wanted of the plan's own order. Ends at the first state at which a variance moves by more than `most`. Without
/// states where nothing is wanted, or solves are cheaper. Cost: three factorisations and sweeps a state; allocates.
SweepTrial try_sweep(const System& system, const EstimatorPlan& plan, const Outputs& outputs, Spread wanted, double most);
/// The same of the sweep for what is wanted that the plan's own order has planned already.
SweepTrial try_sweep(const System& system, PlannedOrder& order, const Outputs& outputs, Spread wanted, double most);

}  // namespace sparsedyn
