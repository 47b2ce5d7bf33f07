// An order of elimination of an estimator's augmented system, with the memory to replay it.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/plans/augmented_units.hpp"
#include "runtime/spread/spread_plan.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/sparse/detail/block_solve.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// What an order multiplies.
enum class OrderKind {
  plain,    // no product of Y with itself: as accurate as Y is
  for_gaps  // YᵀW²Y appears, which loses digits that refinement gives back
};

/// What an order is replayed for beside solutions: derivatives, and deviations of these outputs and of rows.
struct OrderUses {
  bool in_blocks = false;
  const Outputs* outputs = nullptr;  // must outlive the order
  std::vector<bool> held = {};       // a flag for each unknown: exact rows fix it alone
  Spread spread = {};                // of every sample
  bool compares = false;             // of some samples, RowSpread of every row
  ColumnPairs pairs = {};            // of outputs: with `spread`, their covariances
};

/// A sweep over the factors of an order.
struct PlannedSweep {
  std::unique_ptr<const SpreadPlan> plan;  // or none
  bool certified = false;                  // kept its digits at many states (try_sweep)
};

struct PlannedOrder {
  /// of, order: of the plan, or of its spare orders; the plan is kept alive. uses: what memory is taken for.
  PlannedOrder(OrderKind k, const System& system, std::shared_ptr<const EstimatorPlan> p, const Augmented& of,
               const Plan& order, const OrderUses& uses)
      : kind(k),
        plan(std::move(p)),
        augmented(of),
        units(system, of),
        spread{planned(order, uses, uses.spread)},
        rows{planned(order, uses, {false, uses.compares && !uses.spread.of_rows})},
        lu(order, cells()),
        moved(order.pattern.entries()),
        moved_right_side(order.pattern.rows),
        moved_cells(cells()),
        block(uses.in_blocks || uses.compares ? std::make_unique<BlockSolve>(order) : nullptr) {}

  const Regularisation& regularisation() const noexcept { return closing ? *closing : plan->regularisation; }
  /// The cheapest that finds what is wanted.
  PlannedSweep& sweep_for(Spread wanted) noexcept { return wanted.of_outputs || !rows.plan ? spread : rows; }
  /// How many numbers the sweeps are replayed on; 0 without any.
  int cells() const noexcept {
    return std::max(spread.plan ? spread.plan->inverse().cells : 0, rows.plan ? rows.plan->inverse().cells : 0);
  }

  OrderKind kind;
  std::shared_ptr<const EstimatorPlan> plan;
  const Augmented& augmented;
  std::shared_ptr<const Regularisation> closing;  // of the sample at hand, where gaps leave something open
  AugmentedUnits units;
  PlannedSweep spread, rows;                    // of every sample, and of rows alone
  ZeroFillLU<double> lu;                        // with the cells of these sweeps
  std::vector<double> moved, moved_right_side;  // the augmented system at a state that differs by roundings
  std::vector<double> moved_cells;              // its factors and their sweep, where deviations are asked for
  std::unique_ptr<BlockSolve> block;            // or none

 private:
  std::unique_ptr<const SpreadPlan> planned(const Plan& order, const OrderUses& uses, Spread wanted) const {
    return wanted.any() ? std::make_unique<SpreadPlan>(augmented, order, *uses.outputs, uses.held, wanted,
                                                       wanted.of_outputs ? uses.pairs : ColumnPairs{})
                        : nullptr;
  }
};

}  // namespace sparsedyn
