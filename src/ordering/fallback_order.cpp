#include "fallback_order.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core_problem.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "strategies.hpp"

namespace sparsedyn {
namespace {

constexpr int weakest = 4;      // states
constexpr long dearest = 10;    // times the plan's multiplications: it is rarely asked
constexpr double better = 0.1;  // times the plan's backward error, or the step to the dense LU is the better one

double backward_error(ZeroFillLU<double>& lu, const Samples& samples, int s, std::vector<double>& x) {
  samples.fill(s, lu.values(), lu.right_side());
  const bool solved = lu.factor().ok() && lu.solve(x.data()).ok() && lu.complete(x.data()).ok();
  return solved ? lu.backward_error(x.data()) : std::numeric_limits<double>::infinity();
}

/// Worst over the samples; of an order with a pivot that is zero at every state, infinity.
double worst_error(const OrderingProblem& problem, const Order& order) {
  try {
    return measure_health(make_plan(problem.pattern, order, problem.unit), problem.samples).worst_backward_error;
  } catch (const ZeroPivot&) {
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace

Samples weakest_states(const Plan& plan, const Samples& samples, int count) {
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(plan.pattern.columns);
  std::vector<std::pair<double, int>> errors;
  for (int s = 0; s < samples.count; ++s) errors.push_back({backward_error(lu, samples, s, x), s});
  std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  errors.resize(std::min(errors.size(), static_cast<std::size_t>(count)));

  Samples weak;
  weak.count = weak.random = static_cast<int>(errors.size());
  weak.fill = [all = samples.fill, errors](int s, double* values, double* right_side) {
    all(errors[s].second, values, right_side);
  };
  if (samples.state) weak.state = [all = samples.state, errors](int s) { return all(errors[s].second); };
  return weak;
}

std::optional<Candidate> fallback_order(const OrderingProblem& problem, const Plan& plan, std::vector<Candidate> others) {
  OrderingProblem weak = problem;
  weak.samples = weakest_states(plan, problem.samples, weakest);
  const CoreProblem core = core_of(weak);
  if (core.problem.pattern.rows > 0)
    for (const Candidate& greedy : markowitz_candidates(core.problem, dearest * plan.flops().mul))
      others.push_back({greedy.strategy + ", where the first is weak", whole_order(core, greedy.order)});

  std::optional<Candidate> second;
  double least = better * worst_error(weak, plan.order);
  for (Candidate& other : others) {
    const double error = worst_error(weak, other.order);
    if (error < least) least = error, second = std::move(other);
  }
  return second;
}

}  // namespace sparsedyn
