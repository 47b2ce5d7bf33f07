#include "sparsedyn/simulation/set_points.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {

void SetPoints::at(double t, double* q_then, double* v_then, double* tau_then) const noexcept {
  const std::size_t nv = q.size() / time.size();
  const double period = time.back();
  if (repeat && t > period) t = std::fmod(t, period);
  const std::size_t after = static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), t) - time.begin());
  const std::size_t high = std::min(after, time.size() - 1), low = after == 0 ? 0 : after - 1;
  const double share = high > low ? (t - time[low]) / (time[high] - time[low]) : 0;
  for (std::size_t i = 0; i < nv; ++i) {
    const auto between = [&](const std::vector<double>& x) {
      return x[low * nv + i] + share * (x[high * nv + i] - x[low * nv + i]);
    };
    q_then[i] = between(q), v_then[i] = between(v), tau_then[i] = between(tau);
  }
}

}  // namespace sparsedyn
