#include "sparsedyn/sparse/detail/health.hpp"

#include <algorithm>
#include <limits>

#include "bounded_health.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();  // solved
constexpr double tolerance = 1e-12;                                // beyond which solvers refine

}  // namespace

Health measure_health(const Plan& plan, const Samples& samples) { return bounded_health(plan, samples, never); }

Health bounded_health(const Plan& plan, const Samples& samples, double hopeless) {
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(plan.pattern.columns);
  Health health;
  health.states = samples.count;
  int worst = -1;
  long refined = 0;
  for (int k = 0; k < samples.count && (health.healthy() || health.worst_backward_error < hopeless); ++k) {
    const int s = k % 2 ? samples.count - 1 - k / 2 : k / 2;  // random and special states in turn: what fails, fails soon
    samples.fill(s, lu.values(), lu.right_side());
    const bool solved = lu.factor().ok() && lu.solve(x.data()).ok() && lu.complete(x.data()).ok();
    const SolutionErrors errors = solved ? lu.errors(x.data()) : SolutionErrors{never, never};
    const double error = errors.backward;
    const double growth = solved ? lu.growth() : never;
    const bool worse = error > health.worst_backward_error || (error == health.worst_backward_error && s < worst);
    if (worst < 0 || worse) worst = s, health.worst_backward_error = error;
    health.worst_growth = std::max(health.worst_growth, growth);
    const double left = solved ? lu.improve(x.data(), errors, tolerance, refined).componentwise : never;
    health.worst_componentwise_error = std::max(health.worst_componentwise_error, left);
  }
  if (worst >= 0 && samples.state) health.worst_state = samples.state(worst);
  return health;
}

std::vector<char> states_in_need(const Plan& plan, const Samples& samples) {
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(plan.pattern.columns);
  std::vector<char> need(static_cast<std::size_t>(samples.count), 1);
  long refined = 0;
  for (int s = 0; s < samples.count; ++s) {
    samples.fill(s, lu.values(), lu.right_side());
    if (!lu.factor().ok() || !lu.solve(x.data()).ok() || !lu.complete(x.data()).ok()) continue;
    const SolutionErrors left = lu.improve(x.data(), lu.errors(x.data()), tolerance, refined);
    need[static_cast<std::size_t>(s)] = !(left.backward <= tolerance && left.componentwise <= tolerance);
  }
  return need;
}

}  // namespace sparsedyn
