// Quantisers: all values lie on one grid, coarse beside the column's motion.
#include <algorithm>
#include <cmath>

#include "column_tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double coarse = 2e-3;  // of the column's deviation: finer grids are those of any file's digits

Series levels_of(const Series& values) {
  Series levels;
  for (double value : values)
    if (std::isfinite(value)) levels.push_back(value);
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

}  // namespace

bool is_flag(const Series& values) {
  double first = std::nan(""), second = std::nan("");
  for (double value : values) {
    if (!std::isfinite(value) || value == first || value == second) continue;
    if (std::isnan(first))
      first = value;
    else if (std::isnan(second))
      second = value;
    else
      return false;
  }
  return !std::isnan(second);
}

double quantum_of(const Series& values) {
  const Series levels = levels_of(values);
  if (levels.size() < 3) return 0;
  const double range = levels.back() - levels.front();
  double grid = range;
  for (std::size_t i = 1; i < levels.size(); ++i)
    if (const double d = levels[i] - levels[i - 1]; d > 1e-9 * range) grid = std::min(grid, d);
  // The mean over all levels is more exact than the smallest step.
  for (int pass = 0; pass < 2; ++pass) {
    double steps = 0;
    for (std::size_t i = 1; i < levels.size(); ++i) steps += std::round((levels[i] - levels[i - 1]) / grid);
    if (steps > 0) grid = range / steps;
  }
  std::size_t off = 0;
  for (double level : levels)
    if (const double k = (level - levels.front()) / grid; std::abs(k - std::round(k)) > 0.05) ++off;
  return off == 0 ? grid : 0;
}

void test_quantised(Examination& x, const std::string& name, const Series& values, double grid) {
  const double size = deviation_of(values);
  if (!(grid > coarse * size) || levels_of(values).size() < 4) return;
  x.add(FindingKind::quantised, grid > 10 * coarse * size ? Severity::doubt : Severity::note, {name},
        name + ": all values are multiples of " + shown(grid) + ", " + shown(grid / size) + " of their deviation",
        "an encoder or converter of few bits, or a file of few digits",
        "state sigma of at least " + shown(grid / std::sqrt(12.0)) + "; derive from smoothed values");
}

}  // namespace sparsedyn::inspection
