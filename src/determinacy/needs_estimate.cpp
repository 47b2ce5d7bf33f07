#include "needs_estimate.hpp"

#include <algorithm>

namespace sparsedyn {

bool has_noisy_rows(const System& system) {
  const auto noisy = [](const Measurement& m) {
    return std::any_of(m.sigma.begin(), m.sigma.end(), [](double sigma) { return sigma > 0; });
  };
  return std::any_of(system.measurements().begin(), system.measurements().end(), noisy);
}

bool needs_estimate(const System& system) {
  const std::vector<Sensor>& sensors = system.sensors().sensors;
  const bool offsets = std::any_of(sensors.begin(), sensors.end(), [](const Sensor& s) { return s.bias; });
  // exact rows leave priors nothing to say, and have no offsets
  return system.pattern().rows != system.pattern().columns ||
         ((offsets || !system.sensors().prior.empty()) && has_noisy_rows(system));
}

}  // namespace sparsedyn
