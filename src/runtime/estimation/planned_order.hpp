// An order of elimination of an estimator's augmented system, with the memory to replay it.
#pragma once

#include <memory>
#include <vector>

#include "runtime/plans/augmented_units.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/sparse/detail/block_solve.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// What an order multiplies.
enum class OrderKind {
  plain,    // no product of Y with itself: as accurate as Y is
  for_gaps  // YᵀW²Y appears, which loses digits that refinement gives back
};

struct PlannedOrder {
  /// of, order: of the plan, or of its spare orders; the plan is kept alive. in_blocks: takes the memory for derivatives.
  PlannedOrder(OrderKind k, const System& system, std::shared_ptr<const EstimatorPlan> p, const Augmented& of,
               const Plan& order, bool in_blocks)
      : kind(k),
        plan(std::move(p)),
        augmented(of),
        units(system, of),
        lu(order),
        moved(order.pattern.entries()),
        moved_right_side(order.pattern.rows),
        block(in_blocks ? std::make_unique<BlockSolve>(order) : nullptr) {}

  const Regularisation& regularisation() const noexcept { return closing ? *closing : plan->regularisation; }

  OrderKind kind;
  std::shared_ptr<const EstimatorPlan> plan;
  const Augmented& augmented;
  std::shared_ptr<const Regularisation> closing;  // of the sample at hand, where gaps leave something open
  AugmentedUnits units;
  ZeroFillLU<double> lu;
  std::vector<double> moved, moved_right_side;  // the augmented system at a state that differs by roundings
  std::unique_ptr<BlockSolve> block;            // or none
};

}  // namespace sparsedyn
