#include "even_samples.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::inspection {
namespace {

constexpr long bridged = 3;         // steps over which a line is drawn where rows were lost
constexpr double near_even = 0.15;  // of a step

/// How many steps lie between row i − 1 and row i.
long steps_between(const Series& times, std::size_t i, double step, double rounding) {
  const double way = times[i] - times[i - 1];
  return rounding > 0 && way <= longest_step(step, rounding) ? 1 : std::max(1L, std::lround(std::min(way / step, 1e9)));
}

/// Whether all steps are whole numbers of x.step, but for what times that are rounded deviate.
bool in_even_steps(const Series& times, double step, double rounding) {
  const double allowed = std::max(near_even * step, 1.01 * rounding);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const long steps = steps_between(times, i, step, rounding);
    if (steps <= bridged && std::abs(times[i] - times[i - 1] - static_cast<double>(steps) * step) > allowed) return false;
  }
  return true;
}

/// The sample at which each row is put: as many steps after the row before as lie between them. A long hole gets fewer samples
/// where all samples would be more than three times the rows.
std::vector<std::size_t> places_of(const Series& times, double step, double rounding) {
  std::vector<std::size_t> places{0};
  long holes = 0;
  for (std::size_t i = 1; i < times.size(); ++i) holes += steps_between(times, i, step, rounding) > bridged;
  const long longest = std::max(30L, 2 * static_cast<long>(times.size()) / std::max(1L, holes));
  for (std::size_t i = 1; i < times.size(); ++i)
    places.push_back(places.back() + static_cast<std::size_t>(std::min(steps_between(times, i, step, rounding), longest)));
  return places;
}

/// The rows' values at their places, and between them a line over at most so many steps.
Series put(const Series& values, const std::vector<std::size_t>& places, std::size_t most_steps) {
  Series out(places.back() + 1, std::nan(""));
  for (std::size_t i = 0; i < places.size(); ++i) {
    out[places[i]] = values[i];
    const std::size_t steps = i == 0 ? 1 : places[i] - places[i - 1];
    if (steps > most_steps) continue;
    for (std::size_t k = 1; k < steps; ++k)
      out[places[i - 1] + k] =
          values[i - 1] + static_cast<double>(k) / static_cast<double>(steps) * (values[i] - values[i - 1]);
  }
  return out;
}

/// Whether positions are smoother over the number of the row than over the times: then sampling was even, and the times are not
/// those of sampling.
bool smoother_by_row(Examination& x, const AscendingTimes& found, double first, std::size_t samples) {
  double by_row = 0, by_time = 0;
  for (std::size_t c = 0; c < x.log.columns.size(); ++c) {
    if (x.log.columns[c].compare(0, 2, "q.") != 0) continue;
    const double size = deviation_of(x.values[c]);
    if (!(size > 0)) continue;
    by_row += noise_of(x.values[c]) / size;
    by_time += noise_of(resampled(found.times, x.values[c], first, x.step, samples, 3 * x.step)) / size;
  }
  return by_row < by_time;
}

Series of_rows(const Series& column, const std::vector<std::size_t>& rows) {
  Series sorted;
  sorted.reserve(rows.size());
  for (std::size_t row : rows) sorted.push_back(column[row]);
  return sorted;
}

}  // namespace

void make_even(Examination& x, const AscendingTimes& found, double rounding) {
  const Series rows(found.rows.begin(), found.rows.end());
  const bool all_rows = found.times.size() == x.samples();
  const double first = found.times.front(), span = found.times.back() - first;
  const auto mean = [&] { return span / static_cast<double>(found.times.size() - 1); };
  if (in_even_steps(found.times, x.step, rounding)) {
    const std::vector<std::size_t> places = places_of(found.times, x.step, rounding);
    if (all_rows && places.back() + 1 == places.size()) {
      x.step = mean();
      return;
    }
    for (Series& column : x.values) column = put(of_rows(column, found.rows), places, static_cast<std::size_t>(bridged));
    x.row_of_sample = put(rows, places, places.back());
    x.places_of_rows = places;
    return;
  }
  const double steps = std::floor(span / x.step + 1e-3);  // the last row lies on the grid but for rounding
  const auto samples = static_cast<std::size_t>(std::min(steps, 3.0 * static_cast<double>(found.times.size()))) + 1;
  if (x.holes == 0 && all_rows && smoother_by_row(x, found, first, samples)) {
    x.step = mean();
    return;
  }
  for (Series& column : x.values)
    column = resampled(found.times, of_rows(column, found.rows), first, x.step, samples, 3 * x.step);
  x.resampled = true;
  x.row_of_sample = resampled(found.times, rows, first, x.step, samples, 1e300);
}

}  // namespace sparsedyn::inspection
