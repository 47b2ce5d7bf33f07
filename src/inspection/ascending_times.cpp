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
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double d = times[i] - times[i - 1]; d < hole * step && std::abs(d - step) > 1.01 * grid) return 0;
  return grid;
}

Series times_of_rows(const Series& raw, const AscendingTimes& found, double step) {
  if (found.back > 0 || found.times.empty()) return {};
  Series times = raw;
  std::size_t known = 0;  // the last row before row i whose time is known, and the row after it
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(raw[i])) {
      known = i;
      continue;
    }
    std::size_t next = i;
    while (next < raw.size() && !std::isfinite(raw[next])) ++next;
    const auto after = static_cast<double>(i - known);
    if (!std::isfinite(raw[known]))  // no row before has one
      times[i] = raw[next] - static_cast<double>(next - i) * step;
    else if (next == raw.size())
      times[i] = raw[known] + after * step;
    else
      times[i] = raw[known] + after / static_cast<double>(next - known) * (raw[next] - raw[known]);
  }
  const double first = times.front();
  for (double& t : times) t -= first;
  return times;
}

}  // namespace sparsedyn::inspection
