// An order of elimination of an estimator's augmented system, with the memory to replay it.
#pragma once

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
  Spread spread = {};
};

struct PlannedOrder {
  /// of, order: of the plan, or of its spare orders; the plan is kept alive. uses: what memory is taken for.
  PlannedOrder(OrderKind k, const System& system, std::shared_ptr<const EstimatorPlan> p, const Augmented& of,
               const Plan& order, const OrderUses& uses)
      : kind(k),
        plan(std::move(p)),
        augmented(of),
        units(system, of),
        spread(uses.spread.any() ? std::make_unique<SpreadPlan>(of, order, *uses.outputs, uses.held, uses.spread) : nullptr),
        lu(order, spread ? spread->inverse().cells : 0),
        moved(order.pattern.entries()),
        moved_right_side(order.pattern.rows),
        moved_cells(spread ? spread->inverse().cells : 0),
        block(uses.in_blocks ? std::make_unique<BlockSolve>(order) : nullptr) {}

  const Regularisation& regularisation() const noexcept { return closing ? *closing : plan->regularisation; }

  OrderKind kind;
  std::shared_ptr<const EstimatorPlan> plan;
  const Augmented& augmented;
  std::shared_ptr<const Regularisation> closing;  // of the sample at hand, where gaps leave something open
  AugmentedUnits units;
  std::unique_ptr<const SpreadPlan> spread;     // or none: no deviations are asked for
  ZeroFillLU<double> lu;                        // with the cells of the spread's sweep
  std::vector<double> moved, moved_right_side;  // the augmented system at a state that differs by roundings
  std::vector<double> moved_cells;              // its factors and their sweep, where deviations are asked for
  std::unique_ptr<BlockSolve> block;            // or none
};

}  // namespace sparsedyn
