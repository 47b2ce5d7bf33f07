#include "expected_cost.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core_problem.hpp"
#include "ordering/algorithms/umfpack.hpp"
#include "search_order.hpp"
#include "sparse/bounded_health.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "strategies.hpp"

namespace sparsedyn {
namespace {

/// ⅔ n³ + 2 n²: LU with a search for pivots, and a solve.
double dense_flops(double n) { return 2 * n * n * n / 3 + 2 * n * n; }

struct Pair {
  double cost = 0;  // expected
  std::optional<std::size_t> fallback;
};

/// The order with its best fallback.
Pair with_best_fallback(const std::vector<StrategyResult>& orders, std::size_t first, double dense) {
  const std::vector<char>& need = orders[first].help->need;
  const double states = std::max(1.0, static_cast<double>(need.size())),
               own = static_cast<double>(orders[first].flops().total());
  const auto in_need = static_cast<double>(std::count(need.begin(), need.end(), char(1)));
  Pair best{own + in_need * dense / states, {}};
  for (std::size_t k = 0; k < orders.size() && in_need > 0; ++k) {
    double still = 0;
    for (std::size_t s = 0; s < need.size(); ++s) still += need[s] && orders[k].help->need[s];
    const double cost = own + (in_need * static_cast<double>(orders[k].flops().total()) + still * dense) / states;
    if (k != first && cost < best.cost) best = {cost, k};
  }
  return best;
}

/// Some of the states.
Samples only(const Samples& samples, const std::vector<int>& states) {
  Samples some;
  some.count = static_cast<int>(states.size());
  some.random = static_cast<int>(std::count_if(states.begin(), states.end(), [&](int s) { return s < samples.random; }));
  some.fill = [fill = samples.fill, states](int s, double* values, double* right_side) {
    fill(states[static_cast<std::size_t>(s)], values, right_side);
  };
  if (samples.state) some.state = [state = samples.state, states](int s) { return state(states[static_cast<std::size_t>(s)]); };
  return some;
}

/// Whether the order solves the system at a state by pivots that are more than rounding.
bool serves(const Plan& plan, const std::vector<double>& values, const std::vector<double>& right_side) {
  constexpr double tolerance = 1e-12;
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(right_side.size());
  std::copy(right_side.begin(), right_side.end(), lu.right_side());
  if (!lu.factor(values.data()).ok() || !lu.solve(x.data()).ok() || !lu.complete(x.data()).ok()) return false;
  long refined = 0;
  const SolutionErrors found = lu.errors(x.data()), left = lu.improve(x.data(), found, tolerance, refined);
  if (!(left.backward <= tolerance && left.componentwise <= tolerance)) return false;
  return !lu.doubtful(found.norm) || lu.vanishing_pivot(values.data()) < 0;
}

/// The order that a search for pivots takes at this very state; none where not even that one serves: the matrix is singular.
std::optional<Order> order_at(const OrderingProblem& problem, int state) {
  std::vector<double> values(static_cast<std::size_t>(problem.pattern.entries())),
      right_side(static_cast<std::size_t>(problem.pattern.rows));
  problem.samples.fill(state, values.data(), right_side.data());
  std::optional<Order> order = umfpack_order(problem.pattern, values.data());
  try {
    if (order && serves(make_plan(problem.pattern, *order, problem.unit), values, right_side)) return order;
  } catch (const ZeroPivot&) {  // at every state
  }
  return {};
}

/// Orders, and where they need help.
struct Tried {
  std::vector<StrategyResult>& orders;
  std::vector<std::vector<char>> needs;  // of each order, at each state
  bool all_fail(int s) const {
    return std::all_of(needs.begin(), needs.end(), [s](const auto& need) { return need[static_cast<std::size_t>(s)]; });
  }
  void add(const OrderingProblem& problem, const std::string& strategy, const Order& order) {
    const Plan plan = plan_of(problem, order);
    needs.push_back(states_in_need(plan, problem.samples));
    orders.push_back({strategy, plan.factor_flops(), plan.solve_flops(), plan.elimination.fill,
                      measure_health(plan, problem.samples), order});
  }
};

/// The states at which the matrix is regular, ascending. States at which all orders fail are tried one by one, up to a number
/// of them.
std::vector<int> regular_states(const Tried& tried, const OrderingProblem& problem) {
  constexpr int most_tried = 100;
  std::vector<int> regular;
  int count = 0;
  for (int s = 0; s < problem.samples.count; ++s)
    if (!has_umfpack() || !tried.all_fail(s) || count++ >= most_tried || order_at(problem, s)) regular.push_back(s);
  return regular;
}

/// Orders of greedy searches that judge pivots at the regular states at which all others fail: those that serve at some of
/// them.
void add_orders_for_hard_states(Tried& tried, const std::vector<int>& regular, const OrderingProblem& problem) {
  std::vector<int> hard;
  std::copy_if(regular.begin(), regular.end(), std::back_inserter(hard), [&](int s) { return tried.all_fail(s); });
  if (hard.empty()) return;
  OrderingProblem there = problem;
  there.samples = only(problem.samples, hard);
  const CoreProblem core = core_of(there);
  if (core.problem.pattern.rows == 0) return;
  constexpr long dearest = 10;  // times the cheapest: it is rarely asked
  const long least = tried.orders.front().flops().mul;
  int added = 0;
  for (const Candidate& greedy : markowitz_candidates(core.problem, dearest * least)) {
    const Order order = whole_order(core, greedy.order);
    try {
      const std::vector<char> need = states_in_need(plan_of(problem, order), there.samples);
      if (std::count(need.begin(), need.end(), char(0)) > 0)
        tried.add(problem, greedy.strategy + ", where others fail " + std::to_string(++added), order);
    } catch (const ZeroPivot&) {  // at every state
    }
  }
}

OrderHelp help_of(const std::vector<char>& need, const std::vector<int>& regular, const OrderingProblem& problem) {
  OrderHelp help;
  for (int s : regular) {
    help.need.push_back(need[static_cast<std::size_t>(s)]);
    if (!help.need.back()) continue;
    if (help.states++ == 0 && problem.samples.state) help.example = problem.samples.state(s);
  }
  help.singular = problem.samples.count - static_cast<int>(regular.size());
  return help;
}

/// What each order needs.
void count_help(std::vector<StrategyResult>& orders, const OrderingProblem& problem) {
  Tried tried{orders, {}};
  for (const StrategyResult& order : orders)
    tried.needs.push_back(states_in_need(plan_of(problem, order.order), problem.samples));
  const std::vector<int> regular = regular_states(tried, problem);
  add_orders_for_hard_states(tried, regular, problem);
  for (std::size_t k = 0; k < orders.size(); ++k) orders[k].help = help_of(tried.needs[k], regular, problem);
}

}  // namespace

void choose_by_expected_cost(OptimiseResult& result, const OrderingProblem& problem) {
  if (result.plan.health.healthy()) return;
  std::vector<StrategyResult>& orders = result.strategies;
  count_help(orders, problem);
  const double dense = dense_flops(problem.pattern.rows);
  std::size_t chosen = 0;
  Pair best = with_best_fallback(orders, 0, dense);
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const Pair pair = with_best_fallback(orders, k, dense);
    orders[k].help->expected_cost = pair.cost;
    if (pair.cost < best.cost) best = pair, chosen = k;
  }
  result.plan = plan_of(problem, orders[chosen].order);
  result.plan.strategy = orders[chosen].strategy;
  result.plan.health = orders[chosen].health;
  if (best.fallback) {
    result.plan.fallback = orders[*best.fallback].order;
    result.plan.fallback_strategy = orders[*best.fallback].strategy;
  }
  std::stable_sort(orders.begin(), orders.end(), [](const StrategyResult& a, const StrategyResult& b) {
    return a.flops().total() < b.flops().total();  // some were added
  });
}

}  // namespace sparsedyn
