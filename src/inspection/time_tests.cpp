// Times: they ascend in even steps, in seconds.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double uneven = 0.02;     // of a step: the deviation from which times are called uneven
constexpr double hole = 1.6;        // steps: rows are missing
constexpr double few_holes = 0.01;  // of all steps: beyond, the times are uneven rather than broken off

/// Times that ascend: repeated ones are left out, stretches that go back follow what was before them, after a hole.
struct Ascending {
  Series times;
  std::vector<std::size_t> rows;
  long repeated = 0, back = 0, missing = 0;
  std::size_t first_fault = 0, last_fault = 0;

  void fault(std::size_t row) {
    if (repeated + back == 1) first_fault = row;
    last_fault = row;
  }
};

/// Rows that are late by a few steps are sorted in; a clock that is set back begins anew.
Ascending ascending(const Series& raw, double step) {
  Ascending found;
  double shift = 0, last = 0;
  for (std::size_t row = 0; row < raw.size(); ++row) {
    if (!std::isfinite(raw[row])) {
      ++found.missing;
      continue;
    }
    double t = raw[row] + shift;
    if (!found.times.empty() && t <= last) {
      if (t == last) {
        ++found.repeated, found.fault(row);
        continue;
      }
      ++found.back, found.fault(row);
      if (last - t < 20.5 * step) {  // out of order: its place is before
        const auto at = std::lower_bound(found.times.begin(), found.times.end(), t);
        if (*at != t) {
          found.rows.insert(found.rows.begin() + (at - found.times.begin()), row);
          found.times.insert(at, t);
        }
        continue;
      }
      shift += last - t + 30 * step;
      t = raw[row] + shift;
    }
    found.times.push_back(t), found.rows.push_back(row);
    last = t;
  }
  return found;
}

double usual_step(const Series& times) {
  Series steps;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double d = times[i] - times[i - 1]; d > 0) steps.push_back(d);
  return median_of(steps);
}

void tell_of_order(Examination& x, const Ascending& found) {
  if (found.repeated + found.back == 0) return;
  std::string evidence =
      std::to_string(found.repeated) + " times repeat the one before, " + std::to_string(found.back) + " lie before it";
  x.add(FindingKind::time_back, Severity::harm, {"time"}, evidence,
        found.back > 0 ? "a clock that was set back, rows out of order, or several recordings in one file"
                       : "rows written twice, or times rounded to more than the step",
        found.back > 0 ? "part the log where its times go back, or sort its rows" : "leave out the rows that repeat",
        static_cast<double>(found.first_fault), static_cast<double>(found.last_fault));
}

/// Steps that are missing, and those that are uneven.
void tell_of_steps(Examination& x, const Ascending& found) {
  double squares = 0, steps = 0, largest = 0;
  long holes = 0;
  std::size_t first = 0, last = 0;
  for (std::size_t i = 1; i < found.times.size(); ++i) {
    const double d = (found.times[i] - found.times[i - 1]) / x.step;
    if (d > hole) {
      if (holes++ == 0) first = found.rows[i - 1];
      last = found.rows[i], largest = std::max(largest, d), x.holes += d - 1;
      continue;
    }
    squares += (d - 1) * (d - 1), ++steps;
  }
  const double spread = steps > 0 ? std::sqrt(squares / steps) : 0;
  const double lost = static_cast<double>(holes) / std::max(1.0, steps + static_cast<double>(holes));
  if (spread > uneven || lost > few_holes)
    x.add(FindingKind::time_uneven, spread > 5 * uneven || lost > 2 * few_holes ? Severity::doubt : Severity::note, {"time"},
          "steps deviate from " + shown(x.step) + " s by " + shown(100 * spread) + " % (root mean square), " +
              std::to_string(holes) + " steps are longer than " + shown(hole),
          lost > few_holes ? "rows that were lost, or a rate that changes"
                           : "the times at which rows arrived, not those of sampling",
          "bring the log to even times; where sampling was even, number the rows");
  if (holes > 0 && lost <= few_holes && found.back == 0)
    x.add(FindingKind::gap, Severity::doubt, {"time"},
          std::to_string(holes) + (holes == 1 ? " hole" : " holes") + " in the times, the longest of " + shown(largest) +
              " steps",
          "rows that were lost", "fits and derivatives do not reach across; part the log there", static_cast<double>(first),
          static_cast<double>(last));
  if (found.missing > 0)
    x.add(FindingKind::gap, Severity::doubt, {"time"}, std::to_string(found.missing) + " rows without a time", "empty cells",
          "leave these rows out");
}

/// Whether positions are smoother over the number of the row than over the times: then sampling was even, and the times are not
/// those of sampling.
bool smoother_by_row(Examination& x, const Ascending& found, double first, std::size_t samples) {
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

/// Samples in even steps. Rows are taken as they are where their steps deviate by little.
void make_even(Examination& x, const Ascending& found) {
  bool even = found.times.size() == x.samples();
  const double allowed = 0.15 * x.step;
  for (std::size_t i = 0; even && i < found.times.size(); ++i)
    if (i > 0 && std::abs(found.times[i] - found.times[i - 1] - x.step) > allowed) even = false;
  if (even) {
    x.step = (found.times.back() - found.times.front()) / static_cast<double>(found.times.size() - 1);
    return;
  }
  const double first = found.times.front();
  const double span = (found.times.back() - first) / x.step;
  const auto samples = static_cast<std::size_t>(std::min(span, 3.0 * static_cast<double>(found.times.size()))) + 1;
  Series rows(found.rows.begin(), found.rows.end());
  if (x.holes == 0 && found.times.size() == x.samples() && smoother_by_row(x, found, first, samples)) {
    x.step = (found.times.back() - first) / static_cast<double>(found.times.size() - 1);
    return;
  }
  for (Series& column : x.values) {
    Series sorted;
    sorted.reserve(found.rows.size());
    for (std::size_t row : found.rows) sorted.push_back(column[row]);
    column = resampled(found.times, sorted, first, x.step, samples, 3 * x.step);
  }
  x.resampled = true;
  x.row_of_sample = resampled(found.times, rows, first, x.step, samples, 1e300);
}

}  // namespace

void test_time(Examination& x) {
  Series* const time = x.column("time");
  if (!time || count_of(*time) < 3)
    return x.unjudged({"time"}, "no times in the log: velocities are not compared with positions");
  const double step = usual_step(*time);
  const Ascending found = ascending(*time, step);
  tell_of_order(x, found);
  if (!std::isfinite(step) || found.times.size() < 3) return;
  x.timed = true, x.step = step;
  tell_of_steps(x, found);
  make_even(x, found);
}

void test_time_unit(Examination& x, const std::vector<double>& ratios) {
  if (!x.timed) return;
  struct Unit {
    const char* name;
    double factor;
  };
  static constexpr Unit units[] = {{"s", 1}, {"ms", 1e3}, {"µs", 1e6}, {"ns", 1e9}};
  constexpr double turn = 57.29577951308232;
  const double ratio = median_of(ratios);  // of the velocities' way to the positions': the unit, where both are right
  const double epoch = x.column("time") ? std::abs(median_of(*x.column("time"))) : 0;
  const Unit* best = &units[0];
  if (std::isfinite(ratio) && ratio > 0) {
    for (const Unit& unit : units)
      for (double angle : {1.0, 1 / turn, turn})
        if (std::abs(std::log(ratio / unit.factor / angle)) < 0.2 && (angle == 1 || x.step / unit.factor < 0.3)) {
          const bool plausible = unit.factor == 1 || x.step >= 0.05;  // a step below 50 µs, ns … is no step of a robot's log
          if (plausible && best == &units[0]) best = &unit;
        }
  } else if (x.step >= 0.9 || epoch > 1e11) {  // no velocities to tell by
    best = x.step >= 1e5 || epoch > 1e17 ? &units[3] : x.step >= 150 || epoch > 1e14 ? &units[2] : &units[1];
  }
  if (best->factor != 1) {
    const bool by_motion = std::isfinite(ratio) && ratio > 0;
    x.add(FindingKind::time_unit, by_motion || x.step >= 5 ? Severity::harm : Severity::doubt, {"time"},
          "steps of " + shown(x.step) +
              (by_motion ? "; integrated over them, velocities go " + shown(ratio) + " times as far as the positions (median)"
                         : "; no robot is sampled that slowly"),
          std::string("times in ") + best->name, std::string("divide time by ") + shown(best->factor));
    x.step /= best->factor;
  }
}

}  // namespace sparsedyn::inspection
