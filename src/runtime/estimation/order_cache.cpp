#include "runtime/estimation/order_cache.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace sparsedyn {
namespace {

constexpr std::size_t most_patterns = 4096;

}  // namespace

OrderCache::OrderCache(const System& system, const EstimatorPlan& plan, Sources sources, const OrderUses& uses)
    : system_(system), sources_(std::move(sources)), uses_(uses) {
  for (const std::shared_ptr<const EstimatorPlan>& gaps : plan.gaps)
    entries_.push_back({gaps->left_out, nullptr, order_of(gaps)});
}

std::unique_ptr<PlannedOrder> OrderCache::order_of(std::shared_ptr<const EstimatorPlan> plan) const {
  const EstimatorPlan& of = *plan;
  return std::make_unique<PlannedOrder>(OrderKind::for_gaps, system_, std::move(plan), of.augmented, of.plan, uses_);
}

const OrderCache::Entry* OrderCache::find(const std::vector<char>& missing) const noexcept {
  for (const Entry& known : entries_)
    if (known.missing == missing) return &known;
  return nullptr;
}

/// The one that is known, or a new one in place of the oldest that is not in use.
OrderCache::Entry& OrderCache::entry_of(const std::vector<char>& missing, const PlannedOrder* in_use) {
  for (Entry& known : entries_)
    if (known.missing == missing) return known;
  if (entries_.size() >= most_patterns) {
    const bool keep_first = in_use && entries_.front().order.get() == in_use;
    entries_.erase(entries_.begin() + (keep_first ? 1 : 0));
  }
  entries_.push_back({missing, nullptr, nullptr});
  return entries_.back();
}

std::shared_ptr<const Regularisation> OrderCache::close(const std::vector<char>& missing, const PlannedOrder* in_use) noexcept {
  if (!sources_.close_gaps) return nullptr;
  try {
    auto closing = std::make_shared<const Regularisation>(sources_.close_gaps(missing));
    return entry_of(missing, in_use).closing = std::move(closing);
  } catch (const std::exception&) {
    return nullptr;
  }
}

PlannedOrder* OrderCache::replan(const std::vector<char>& missing, const PlannedOrder* in_use) noexcept {
  const Entry* known = find(missing);
  if (known && known->order) return known->order.get();
  if (!sources_.replan) return nullptr;
  try {
    std::shared_ptr<const EstimatorPlan> plan = sources_.replan(missing);
    if (!plan) return nullptr;
    std::unique_ptr<PlannedOrder> order = order_of(std::move(plan));
    ++replanned_;
    return (entry_of(missing, in_use).order = std::move(order)).get();
  } catch (const std::exception&) {  // no plan for what is left: the sample fails
    return nullptr;
  }
}

}  // namespace sparsedyn
