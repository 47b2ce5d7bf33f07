#include "recalled_choice.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ordering/search_order.hpp"
#include "sparse/bounded_health.hpp"

namespace sparsedyn {
namespace {

/// A plan, and the states at which its order is judged.
struct OrderAtStates {
  const Plan& plan;
  const Samples& samples;
  bool has_to_be_good;  // or no other is judged any further
};

/// One thread's part of judging orders: blocks of states that nobody has taken yet.
class Judge {
 public:
  Judge(const std::vector<OrderAtStates>& orders, std::atomic<int>& taken) : orders_(orders), taken_(taken) {
    parts.resize(orders.size());
  }

  void work() {
    for (int block = taken_++;; block = taken_++) {
      std::size_t k = 0;
      for (; k < orders_.size() && block >= PartOfHealth::blocks(orders_[k].samples); ++k)
        block -= PartOfHealth::blocks(orders_[k].samples);
      if (k == orders_.size()) return;
      if (!parts[k]) parts[k] = std::make_unique<PartOfHealth>(orders_[k].plan, orders_[k].samples);
      parts[k]->judge(block);
      if (orders_[k].has_to_be_good && !good(parts[k]->found().health)) taken_ = beyond_all;
    }
  }

  std::vector<std::unique_ptr<PartOfHealth>> parts;

 private:
  static constexpr int beyond_all = std::numeric_limits<int>::max() / 2;
  const std::vector<OrderAtStates>& orders_;
  std::atomic<int>& taken_;
};

std::vector<JudgedHealth> judged_by_two(const std::vector<OrderAtStates>& orders) {
  std::atomic<int> taken{0};
  Judge here(orders, taken), there(orders, taken);
  std::future<void> other = std::async(std::launch::async, [&] { there.work(); });
  here.work();
  other.get();
  std::vector<JudgedHealth> judged;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    PartOfHealth sum(orders[k].plan, orders[k].samples);
    for (const Judge* each : {&here, &there})
      if (each->parts[k]) sum.add(*each->parts[k]);
    judged.push_back(sum.found());
  }
  return judged;
}

/// The first numbers of a problem, which tell what is zero at all of its states.
void ask_once(const OrderingProblem& problem) {
  const auto entries = static_cast<std::size_t>(problem.pattern.entries()),
             rows = static_cast<std::size_t>(problem.pattern.rows);
  const std::unique_ptr<double[]> numbers(new double[entries + rows]);
  problem.samples.fill(0, numbers.get(), numbers.get() + entries);
}

const Order* order_of(const std::string& strategy, const KeptOrders& orders) {
  if (strategy == residuals_first) return orders.missing_data ? &*orders.missing_data : nullptr;
  const auto found = std::find_if(orders.proposals.begin(), orders.proposals.end(),
                                  [&](const NamedOrder& each) { return each.strategy == strategy; });
  return found == orders.proposals.end() ? nullptr : &found->order;
}

const KeptJudgement* line_of(const std::string& strategy, const KeptOrders& orders) {
  const auto found = std::find_if(orders.judged.begin(), orders.judged.end(),
                                  [&](const KeptJudgement& each) { return each.strategy == strategy; });
  return found == orders.judged.end() ? nullptr : &*found;
}

/// All lines as they were kept. Empty where one has no order of this pattern, or one that fills in otherwise.
std::vector<StrategyResult> kept_lines(const KeptOrders& orders, bool near, const Pattern& pattern, int states) {
  std::vector<StrategyResult> lines;
  for (const KeptJudgement& each : orders.judged) {
    const Order* const order = order_of(each.strategy, orders);
    if (!order || eliminate(pattern, *order).fill != each.fill) return {};
    StrategyResult line{each.strategy, each.factor, each.solve, each.fill, {}, *order, std::nullopt, each.refined, near};
    line.health.worst_backward_error = each.worst_backward_error, line.health.worst_growth = each.worst_growth;
    line.health.worst_componentwise_error = each.worst_componentwise_error, line.health.states = states;
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Whether steps of refinement, each a residual, a solve and two errors, have come to cost more at an average state than the
/// next healthy order's operations are beyond those of the chosen one.
bool refined_too_often(const KeptJudgement& chosen, int refined, const std::vector<StrategyResult>& lines,
                       const Pattern& pattern) {
  constexpr double residual_and_errors = 6;  // operations an entry
  long next = std::numeric_limits<long>::max();
  for (const StrategyResult& each : lines)
    if (each.strategy != chosen.strategy && good(each.health)) next = std::min(next, each.flops().total());
  const double step = static_cast<double>(chosen.solve.total()) + residual_and_errors * pattern.entries(),
               more = static_cast<double>(refined - chosen.refined) / lines.front().health.states;
  return more * step > static_cast<double>(next - (chosen.factor + chosen.solve).total());
}

bool as_it_was(const KeptJudgement& kept, const Health& health) {
  return kept.worst_backward_error == health.worst_backward_error && kept.worst_growth == health.worst_growth &&
         kept.worst_componentwise_error == health.worst_componentwise_error;
}

}  // namespace

double worst_error(const Health& health) {
  const double backward = health.worst_backward_error, componentwise = health.worst_componentwise_error;
  if (!std::isfinite(backward) || !std::isfinite(componentwise)) return std::numeric_limits<double>::infinity();
  return std::max(backward, componentwise);
}

bool as_healthy_with_gaps(const KeptOrders& orders, bool near, const Health& health) {
  if (!near || orders.missing_data_healthy) return orders.missing_data_healthy == good(health);
  return worst_error(health) <= 10 * orders.missing_data_error;  // also where it fails at a state as it failed before
}

std::optional<RecalledChoice> recalled_choice(const KeptOrders& orders, bool near, const EstimatorProblem& problem) {
  const KeptJudgement *const kept = line_of(orders.chosen, orders), *const best = line_of(orders.best, orders);
  const Order* const order = order_of(orders.chosen, orders);
  const Pattern& pattern = problem.all_readings.pattern;
  if (!kept || !best || (best->factor + best->solve).total() != orders.flops || !order || !orders.missing_data ||
      !orders.open_gaps || !fault(*orders.open_gaps, pattern).empty())
    return {};
  RecalledChoice found;
  found.strategies = kept_lines(orders, near, pattern, problem.all_readings.samples.count);
  if (found.strategies.empty()) return {};

  std::future<void> other = std::async(std::launch::async, [&] {
    ask_once(problem.with_gaps);
    found.missing_data = plan_of(problem.all_readings, *orders.missing_data);
  });
  ask_once(problem.all_readings);
  found.plan = plan_of(problem.all_readings, *order);
  other.get();
  if (found.plan.flops().total() != (kept->factor + kept->solve).total()) return {};

  const std::vector<JudgedHealth> judged =
      judged_by_two({{found.plan, problem.all_readings.samples, true}, {found.missing_data, problem.with_gaps.samples, false}});
  const JudgedHealth& chosen = judged.front();
  found.missing_data_health = judged.back().health;
  if (!good(chosen.health) || !as_healthy_with_gaps(orders, near, found.missing_data_health)) return {};
  if (!near && !as_it_was(*kept, chosen.health)) return {};
  if (refined_too_often(*kept, chosen.refined, found.strategies, pattern)) return {};

  for (StrategyResult& each : found.strategies)
    if (each.strategy == orders.chosen) each.health = chosen.health, each.refined = chosen.refined, each.judged_earlier = false;
  found.plan.strategy = orders.chosen, found.plan.health = chosen.health;
  return found;
}

}  // namespace sparsedyn
