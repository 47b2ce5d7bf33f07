#include "ascending_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsedyn::inspection {
namespace {

void note_fault(AscendingTimes& found, std::size_t row) {
  if (found.repeated + found.back == 1) found.first_fault = row;
  found.last_fault = row;
}

}  // namespace

AscendingTimes ascending_times(const Series& raw, double step) {
  constexpr double late = 20.5, anew = 30;  // steps
  AscendingTimes found;
  double shift = 0, last = 0;
  for (std::size_t row = 0; row < raw.size(); ++row) {
    if (!std::isfinite(raw[row])) {
      if (found.missing++ == 0) found.first_missing = row;
      found.last_missing = row;
      continue;
    }
    double t = raw[row] + shift;
    if (!found.times.empty() && t <= last) {
      if (t == last) {
        ++found.repeated, note_fault(found, row);
        continue;
      }
      ++found.back, note_fault(found, row);
      if (last - t < late * step) {  // out of order: its place is before
        const auto at = std::lower_bound(found.times.begin(), found.times.end(), t);
        if (*at != t) {
          found.rows.insert(found.rows.begin() + (at - found.times.begin()), row);
          found.times.insert(at, t);
        }
        continue;
      }
      shift += last - t + anew * step, found.added += (anew - 1) * step;
      t = raw[row] + shift;
    }
    found.times.push_back(t), found.rows.push_back(row);
    last = t;
  }
  return found;
}

double median_step(const Series& times) {
  Series steps;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double d = times[i] - times[i - 1]; d > 0) steps.push_back(d);
  return median_of(std::move(steps));
}

double mean_step(const Series& times, double usual) {
  double sum = 0, count = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double d = times[i] - times[i - 1]; std::abs(d - usual) < (hole - 1) * usual) sum += d, ++count;
  return count > 0 ? sum / count : usual;
}

double rounding_of(const Series& times, double step) {
  double largest = 0;
  for (double t : times) largest = std::max(largest, std::abs(t));
  const auto on_grid = [&](double grid) {
    const double allowed = std::max(1e-6, 4 * std::numeric_limits<double>::epsilon() * largest / grid);
    return std::all_of(times.begin(), times.end(),
                       [&](double t) { return std::abs(t / grid - std::round(t / grid)) <= allowed; });
  };
  double grid = std::pow(10, std::floor(std::log10(0.7 * step)));  // the coarsest of the powers of ten
  while (grid > 0.02 * step && !on_grid(grid)) grid /= 10;
  if (!(grid > 0.02 * step)) return 0;
  // Even times that are rounded keep within one grid of t0 + k T, here over fifty rows, so that a clock may run a little fast.
  constexpr std::size_t rows = 50;
  double low = 0, high = 0, steps = 0;
  for (std::size_t i = 1, first = 0; i < times.size(); ++i) {
    if (times[i] - times[i - 1] > hole * step || i - first == rows) first = i, low = high = steps = 0;
    if (i == first) continue;
    const double off = times[i] - times[first] - ++steps * step;
    low = std::min(low, off), high = std::max(high, off);
    if (high - low > 1.05 * grid) return 0;
  }
  return grid;
}

Series times_of_rows(const Series& raw, const AscendingTimes& found, double step) {
  if (found.back > 0 || found.times.empty()) return {};
  Series times = raw;
  for (std::size_t from = 0; from < times.size();) {
    std::size_t next = from;  // the first row from here whose time is known
    while (next < times.size() && !std::isfinite(raw[next])) ++next;
    const bool before = from > 0, after = next < times.size();
    const double rate = before && after ? (raw[next] - raw[from - 1]) / static_cast<double>(next - from + 1) : step;
    for (std::size_t i = from; i < next; ++i)
      times[i] =
          before ? raw[from - 1] + static_cast<double>(i - from + 1) * rate : raw[next] - static_cast<double>(next - i) * rate;
    from = next + 1;
  }
  const double first = times.front();
  for (double& t : times) t -= first;
  return times;
}

}  // namespace sparsedyn::inspection
