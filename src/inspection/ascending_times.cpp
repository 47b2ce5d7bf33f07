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

/// Whether all times are multiples of `grid`, but for the digits that a double has.
bool on_grid(const Series& times, double grid) {
  double largest = 0;
  for (double t : times) largest = std::max(largest, std::abs(t));
  const double allowed = std::max(1e-6, 4 * std::numeric_limits<double>::epsilon() * largest / grid);
  return std::all_of(times.begin(), times.end(),
                     [&](double t) { return std::abs(t / grid - std::round(t / grid)) <= allowed; });
}

/// Even times t0 + k T that are rounded deviate from them by half a grid to either side, and by what a double has.
constexpr double rounded_spread = 1.05;

struct Line {
  double step, spread;
};

/// The line t0 + k T with T from `low` to `high` from which the times of rows first to end − 1 deviate least: by max − min over
/// k of t_k − k T, which is convex in T, so that thirds of the interval that hold no least one are cut off.
Line flattest_line(const Series& times, std::size_t first, std::size_t end, double low, double high) {
  const auto spread = [&](double step) {
    double least = 0, most = 0;
    for (std::size_t i = first; i < end; ++i) {
      const double off = times[i] - times[first] - static_cast<double>(i - first) * step;
      least = std::min(least, off), most = std::max(most, off);
    }
    return most - least;
  };
  for (int cut = 0; cut < 40; ++cut) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    spread(a) < spread(b) ? high = b : low = a;
  }
  return {0.5 * (low + high), spread(0.5 * (low + high))};
}

/// The step of even times that are rounded to multiples of their median step, `usual`: it is longer than that, and one time in
/// some is two multiples after the one before (800 Hz in ms: 1, 1, 1, 2). Rows that were lost leave such steps as well, but not
/// at even intervals: t0 + k T within half a multiple tells, where eight rows or more would have been lost. 0 otherwise.
double step_above_grid(const Series& times, double usual) {
  constexpr long fewest = 8;
  constexpr double nearest = 1.02;  // of T: below, a row in fifty was lost
  const double grid = std::pow(10, std::round(std::log10(usual)));
  if (!(std::abs(usual - grid) < 1e-3 * grid) || !on_grid(times, grid)) return 0;
  std::size_t first = 0, begin = 0, end = 0;  // the longest stretch without a longer step
  for (std::size_t i = 1; i <= times.size(); ++i)
    if (i == times.size() || times[i] - times[i - 1] > 2.5 * grid) {
      if (i - first > end - begin) begin = first, end = i;
      first = i;
    }
  long doubles = 0;
  for (std::size_t i = begin + 1; i < end; ++i) doubles += times[i] - times[i - 1] > 1.5 * grid;
  if (doubles < fewest) return 0;
  const Line line = flattest_line(times, begin, end, nearest * grid, 1.5 * grid);
  return line.spread <= rounded_spread * grid ? line.step : 0;
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
  if (const double step = step_above_grid(times, usual); step > 0) return step;
  double sum = 0, count = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double d = times[i] - times[i - 1]; std::abs(d - usual) < (hole - 1) * usual) sum += d, ++count;
  return count > 0 ? sum / count : usual;
}

double rounding_of(const Series& times, double step) {
  double grid = std::pow(10, std::floor(std::log10(0.99 * step)));  // the coarsest of the powers of ten
  while (grid > 0.02 * step && !on_grid(times, grid)) grid /= 10;
  if (!(grid > 0.02 * step)) return 0;
  // Over fifty rows at a time, so that a clock may run a little fast. `step` is a mean, and off by as much as a grid in all.
  constexpr std::size_t most_rows = 50;
  const double slack = grid / static_cast<double>(std::min(most_rows, times.size()));
  for (std::size_t first = 0, i = 1; i <= times.size(); ++i) {
    const bool ends = i == times.size() || times[i] - times[i - 1] > longest_step(step, grid);
    if (!ends && i - first < most_rows) continue;
    const Line line = flattest_line(times, first, i, step - slack, step + slack);
    if (line.spread > rounded_spread * grid) return 0;
    first = i;
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
