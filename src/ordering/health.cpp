#include "sparsedyn/ordering/health.hpp"

#include <algorithm>
#include <limits>

#include "sparsedyn/solve/zero_fill_lu.hpp"

namespace sparsedyn {

Health measure_health(const Plan& plan, const Samples& samples) {
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(plan.pattern.columns);
  Health health;
  int worst = -1;
  for (int s = 0; s < samples.count; ++s) {
    samples.fill(s, lu.values(), lu.right_side());
    const bool solved = lu.factor().ok() && lu.solve(x.data()).ok() && lu.complete(x.data()).ok();
    const double error = solved ? lu.backward_error(x.data()) : std::numeric_limits<double>::infinity();
    const double growth = solved ? lu.growth() : std::numeric_limits<double>::infinity();
    if (worst < 0 || error > health.worst_backward_error) worst = s, health.worst_backward_error = error;
    health.worst_growth = std::max(health.worst_growth, growth);
  }
  health.states = samples.count;
  if (worst >= 0 && samples.state) health.worst_state = samples.state(worst);
  return health;
}

}  // namespace sparsedyn
