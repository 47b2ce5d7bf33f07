#include "drift.hpp"

#include <cmath>

#include "bounded_fit.hpp"

namespace sparsedyn::inspection {

bool tell_of_drift(Examination& x, const std::string& column, const std::vector<std::size_t>& samples, const Series& residual,
                   double size) {
  const auto last = static_cast<double>(x.samples());
  BoundedFit<2> line;
  for (std::size_t s = 0; s < residual.size(); ++s)
    if (std::isfinite(residual[s])) line.add({1, static_cast<double>(samples[s]) / last - 0.5}, residual[s]);
  const double rest = std::sqrt(line.solve() / std::max(1.0, line.count)), way = std::abs(line.c[1]);
  const double noise = noise_of(residual), model = std::max(rest * rest - noise * noise, 0.1 * rest * rest);
  const double by_chance = rest * std::sqrt(12 / std::max(1.0, line.count));  // deviation of `way` for white residuals
  if (line.count < 100 || way < 4.5 * std::sqrt(model) || way < 6 * by_chance || way < 0.05 * size) return false;
  x.add(FindingKind::drift, Severity::doubt, {column},
        column + " drifts by " + shown(line.c[1]) + " over the log against the model, " + shown(way / rest) +
            " deviations of the rest",
        "a sensor that warms up", "let it warm up; take the drift off");
  return true;
}

}  // namespace sparsedyn::inspection
