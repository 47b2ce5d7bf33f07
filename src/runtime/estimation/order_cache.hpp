// What an estimator found out about patterns of missing rows: what closes them, and orders of their own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/estimation/planned_order.hpp"

namespace sparsedyn {

/// Asks for each pattern once, and keeps as many answers as fit.
class OrderCache {
 public:
  /// As EstimatorOptions has them; either may be empty.
  struct Sources {
    std::function<Regularisation(const std::vector<char>& missing_rows)> close_gaps;
    std::function<std::shared_ptr<const EstimatorPlan>(const std::vector<char>& missing_rows)> replan;
  };
  /// With the plan's orders for gaps. The system must outlive it.
  OrderCache(const System& system, const EstimatorPlan& plan, Sources sources, const OrderUses& uses);

  struct Entry {
    std::vector<char> missing;                      // a row of the system
    std::shared_ptr<const Regularisation> closing;  // or none: close() was not asked
    std::unique_ptr<PlannedOrder> order;            // or none: replan() was not asked
  };
  /// Of these gaps; null where nothing is known of them.
  const Entry* find(const std::vector<char>& missing) const noexcept;
  /// What closes these gaps, of which nothing is known; null where nobody says. May allocate.
  std::shared_ptr<const Regularisation> close(const std::vector<char>& missing, const PlannedOrder* in_use) noexcept;
  /// An order of their own, or null. May allocate. in_use: an order that is kept.
  PlannedOrder* replan(const std::vector<char>& missing, const PlannedOrder* in_use) noexcept;
  /// How often Sources::replan gave a plan.
  long replanned() const noexcept { return replanned_; }

 private:
  Entry& entry_of(const std::vector<char>& missing, const PlannedOrder* in_use);
  std::unique_ptr<PlannedOrder> order_of(std::shared_ptr<const EstimatorPlan> plan) const;

  const System& system_;
  Sources sources_;
  OrderUses uses_;
  std::vector<Entry> entries_;  // the oldest first
  long replanned_ = 0;
};

}  // namespace sparsedyn
