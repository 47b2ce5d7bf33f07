#include <algorithm>
#include <numeric>

#include "io/fnv_hash.hpp"
#include "sparsedyn/tracking/step_plan.hpp"
#include "tracking/plan/step_count.hpp"

namespace sparsedyn {
namespace tracking {
namespace {

constexpr int most_sweeps = 8;  // of the local search

/// The rows of one interval of a robot, and what orders of them cost.
struct StepRows {
  explicit StepRows(const std::shared_ptr<const System>& system)
      : rows(*system, WholeLayout::freed_link(*system)), layout(system, rows), supports(interval_supports(layout, rows)) {
    for (int i = 0; i < layout.size; ++i) alone.push_back(0);
    for (std::size_t k = 0; k < layout.unknowns.size(); ++k)
      alone[static_cast<std::size_t>(layout.first_unknown) + k] = !layout.unknowns[k].walks;
    for (int i = 0; i < rows.first_turn(); ++i) {
      const IntervalReading& row = layout.intervals[static_cast<std::size_t>(i)];
      (row.variance > 0 || row.share > 0 || row.contact >= 0 ? noisy : last).push_back(i);
    }
    for (int i = rows.first_turn(); i < rows.rows(); ++i) last.push_back(i);
  }
  Flops cost(const std::vector<int>& order) const { return rows_count(supports, order, alone); }
  /// Of noisy rows, followed by those that stay last.
  std::vector<int> whole(std::vector<int> order) const {
    order.insert(order.end(), last.begin(), last.end());
    return order;
  }

  IntervalRows rows;
  WholeLayout layout;
  Supports supports;
  std::vector<char> alone;
  std::vector<int> noisy, last;  // last: exact rows, then gyroscopes
};

std::vector<int> as_stated(int rows) {
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Again and again the row that reads the fewest errors which none has read.
std::vector<int> fewest_new_first(const StepRows& step) {
  std::vector<int> order, left = step.noisy;
  std::vector<char> alone = step.alone;
  while (!left.empty()) {
    const auto news = [&](int row) {
      const std::vector<int>& errors = step.supports[static_cast<std::size_t>(row)];
      return std::count_if(errors.begin(), errors.end(), [&](int e) { return alone[static_cast<std::size_t>(e)] != 0; });
    };
    const auto next = std::min_element(left.begin(), left.end(), [&](int a, int b) { return news(a) < news(b); });
    order.push_back(*next);
    for (int e : step.supports[static_cast<std::size_t>(*next)]) alone[static_cast<std::size_t>(e)] = 0;
    left.erase(next);
  }
  return order;
}

/// Rows are moved to other places as long as that helps.
std::vector<int> locally_best(const StepRows& step, std::vector<int> order) {
  long best = step.cost(step.whole(order)).total();
  bool better = true;
  for (int sweep = 0; sweep < most_sweeps && better; ++sweep) {
    better = false;
    for (std::size_t from = 0; from < order.size(); ++from)
      for (std::size_t to = 0; to < order.size(); ++to) {
        std::vector<int> tried = order;
        tried.erase(tried.begin() + static_cast<std::ptrdiff_t>(from));
        tried.insert(tried.begin() + static_cast<std::ptrdiff_t>(to), order[from]);
        const long cost = step.cost(step.whole(tried)).total();
        if (cost < best) best = cost, order = tried, better = true;
      }
  }
  return order;
}

StepFlops whole_flops(const StepRows& step, const std::vector<int>& order) {
  const Supports end = end_supports(step.layout);
  const std::vector<char> dependent(step.alone.size(), 0);
  return {carry_count(step.layout), step.cost(order.empty() ? as_stated(step.rows.rows()) : order),
          rows_count(end, as_stated(static_cast<int>(end.size())), dependent)};
}

TrackRows taken(const std::shared_ptr<const System>& system, TrackRows rows) {
  TrackerOptions options;
  options.rows = rows;
  return Tracker(system, options).rows();
}

StepFlops kinematic_flops(const std::shared_ptr<const System>& system) {
  const Layout layout(system);
  return {carry_count(layout), {}, rows_count(layout)};
}

}  // namespace
}  // namespace tracking

std::string step_fingerprint(const System& system, const Tracker& tracker) {
  FnvHash hash;
  hash.add(std::string("step")), hash.add(system.fingerprint());
  hash.add(static_cast<long>(tracker.rows())), hash.add(static_cast<long>(tracker.states()));
  for (const TrackerInput& input : tracker.inputs())
    for (const std::string& column : input.columns) hash.add(column);
  return hash.hexadecimal();
}

StepFlops step_flops(const std::shared_ptr<const System>& system, TrackRows rows, const std::vector<int>& order) {
  if (tracking::taken(system, rows) == TrackRows::kinematic) return tracking::kinematic_flops(system);
  return tracking::whole_flops(tracking::StepRows(system), order);
}

StepSearch search_step_order(const std::shared_ptr<const System>& system, TrackRows rows) {
  TrackerOptions options;
  options.rows = rows;
  const Tracker tracker(system, options);
  StepSearch found;
  if (tracker.rows() == TrackRows::kinematic) {
    found.strategies.push_back({"as stated", {}, {}});
    found.flops = tracking::kinematic_flops(system);
  } else {
    const tracking::StepRows step(system);
    const auto propose = [&](const char* name, std::vector<int> order) {
      const Flops cost = step.cost(order);
      found.strategies.push_back({name, std::move(order), cost});
    };
    const std::vector<int> greedy = tracking::fewest_new_first(step), reversed(step.noisy.rbegin(), step.noisy.rend());
    propose("as stated", tracking::as_stated(step.rows.rows()));
    propose("fewest new first", step.whole(greedy)), propose("reversed", step.whole(reversed));
    propose("local search", step.whole(tracking::locally_best(step, greedy)));
    const auto cheaper = [](const StepStrategy& a, const StepStrategy& b) { return a.interval.total() < b.interval.total(); };
    std::stable_sort(found.strategies.begin(), found.strategies.end(), cheaper);
    found.flops = tracking::whole_flops(step, found.strategies.front().order);
  }
  found.plan = {step_fingerprint(*system, tracker), found.strategies.front().name, found.strategies.front().order};
  return found;
}

}  // namespace sparsedyn
