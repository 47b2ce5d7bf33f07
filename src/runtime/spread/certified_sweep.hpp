// Whether deviations may be left to the sweep of a plan, and which.
#pragma once

#include <vector>

#include "runtime/estimation/planned_order.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A sweep at some states, random and special ones, with readings weighed as the set states it.
struct SweepTrial {
  int states = 0;             // at which it was tried
  std::vector<double> moved;  // by what each variance moves at most, beside itself (Deviations::note_movements): of outputs, of
                              // rows' residuals, of pairs

  /// Whether the sweep was tried at a few states, and no variance moved by more than this.
  bool within(double most) const noexcept;
  /// Whether it was tried at so many states that a variance that moved at none of them keeps its digits at others.
  bool stands_for_all() const noexcept;
};

/// Of the sweep for what is wanted that the plan's own order has planned already, at up to 16 states at which that order has
/// factors. Ends at the first state at which a variance moves by more than `most`. Without states where nothing is wanted, or
/// solves are cheaper. Cost: three factorisations and sweeps a state; allocates.
SweepTrial try_sweep(const System& system, PlannedOrder& order, const Outputs& outputs, Spread wanted, double most);
/// Of what is wanted of the plan's own order, for code, which does not look at its sweep: at 64 random states and at 204 at
/// which all joints are at multiples of 90°, except where numbers grow by 1e12 and more: estimates have no digits there either.
/// A set whose weights differ by many decades may lose a sweep's digits at one right-angled posture in ten alone. Cost: as
/// above.
SweepTrial try_sweep_at_many(const System& system, const EstimatorPlan& plan, const Outputs& outputs, Spread wanted);

}  // namespace sparsedyn
