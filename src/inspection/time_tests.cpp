// Times: they ascend in even steps, in seconds.
#include <algorithm>
#include <cmath>

#include "even_samples.hpp"
#include "io/text/how_many.hpp"
#include "tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double uneven = 0.02;     // of a step: the deviation from which times are called uneven
constexpr double few_holes = 0.01;  // of all steps: beyond, the times are uneven rather than broken off

void tell_of_order(Examination& x, const AscendingTimes& found) {
  if (found.repeated + found.back == 0) return;
  std::string evidence;
  if (found.repeated > 0) evidence = how_many(found.repeated, "time repeats", "times repeat") + " the one before";
  if (found.back > 0)
    evidence += (evidence.empty() ? "" : ", ") + how_many(found.back, "time lies", "times lie") + " before the one before";
  x.add(FindingKind::time_back, Severity::harm, {"time"}, evidence,
        found.back > 0 ? "a clock that was set back, rows out of order, or several recordings in one file"
                       : "rows written twice, or times rounded to more than the step",
        found.back > 0 ? "part the log where its times go back, or sort its rows" : "leave out the rows that repeat",
        static_cast<double>(found.first_fault), static_cast<double>(found.last_fault));
}

/// How many steps of the log lie between times i − 1 and i: one, or more where rows between have no time of their own, which
/// are not lost. Rows that repeat a time, and rows out of order, make no steps.
double steps_by_rows(const AscendingTimes& found, std::size_t i, double step) {
  const double rows = found.rows[i] > found.rows[i - 1] ? static_cast<double>(found.rows[i] - found.rows[i - 1]) : 1;
  return std::clamp(std::round((found.times[i] - found.times[i - 1]) / step), 1.0, rows);
}

/// Steps that are missing, and those that are uneven.
void tell_of_steps(Examination& x, const AscendingTimes& found, double rounding) {
  double squares = 0, steps = 0, largest = 0;
  long holes = 0;
  std::size_t first = 0, last = 0;
  for (std::size_t i = 1; i < found.times.size(); ++i) {
    const double rows = steps_by_rows(found, i, x.step), d = (found.times[i] - found.times[i - 1]) / (rows * x.step);
    if (d > longest_step(x.step, rounding) / x.step) {
      if (holes++ == 0) first = found.rows[i - 1];
      last = found.rows[i], largest = std::max(largest, d * rows), x.holes += (d - 1) * rows;
      continue;
    }
    squares += (d - 1) * (d - 1), ++steps;
  }
  const double spread = steps > 0 ? std::sqrt(squares / steps) : 0;
  const double lost = static_cast<double>(holes) / std::max(1.0, steps + static_cast<double>(holes));
  if (rounding > 0 && spread > uneven && lost <= few_holes) {
    x.add(FindingKind::time_uneven, Severity::note, {"time"},
          "all times are multiples of " + shown(rounding) + ", " + shown(rounding / x.step) + " of their step of " +
              shown(x.step),
          "times that were rounded: they are taken as even", "write the times with more digits, or number the rows");
  } else if (spread > uneven || lost > few_holes) {
    std::string evidence;
    if (spread > uneven)
      evidence = "steps deviate from " + shown(x.step) + " by " + shown(100 * spread) + " % (root mean square)";
    if (holes > 0)
      evidence += (evidence.empty() ? "" : ", ") + how_many(holes, "step is", "steps are") + " longer than " + shown(hole) +
                  " times " + shown(x.step);
    x.add(FindingKind::time_uneven, spread > 5 * uneven || lost > 2 * few_holes ? Severity::doubt : Severity::note, {"time"},
          evidence,
          lost > few_holes ? "rows that were lost, or a rate that changes"
                           : "the times at which rows arrived, not those of sampling",
          "bring the log to even times; where sampling was even, number the rows");
  }
  if (holes > 0 && lost <= few_holes && found.back == 0)
    x.add(FindingKind::gap, Severity::doubt, {"time"},
          how_many(holes, "hole", "holes") + " in the times, the longest of " + shown(largest) + " steps",
          "rows that were lost", "fits and derivatives do not reach across; part the log there", static_cast<double>(first),
          static_cast<double>(last));
  if (found.missing > 0)
    x.add(FindingKind::gap, Severity::doubt, {"time"}, how_many(found.missing, "row", "rows") + " without a time",
          "empty cells", "leave these rows out", static_cast<double>(found.first_missing),
          static_cast<double>(found.last_missing));
}

}  // namespace

void test_time(Examination& x) {
  Series* const time = x.column("time");
  if (!time || count_of(*time) < 3) {
    const bool there = std::count(x.log.columns.begin(), x.log.columns.end(), "time") > 0;
    return x.unjudged(there ? std::vector<std::string>{"time"} : std::vector<std::string>{},
                      "no times in the log: velocities are not compared with positions");
  }
  const double step = median_step(*time);
  const AscendingTimes found = ascending_times(*time, step);
  tell_of_order(x, found);
  if (!std::isfinite(step) || found.times.size() < 3) return;
  x.timed = true, x.step = mean_step(found.times, step);
  x.duration = found.times.back() - found.times.front() - found.added;
  x.row_times = times_of_rows(*time, found, x.step);
  const double rounding = rounding_of(found.times, x.step);
  tell_of_steps(x, found, rounding);
  make_even(x, found, rounding);
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
    x.step /= best->factor, x.time_unit = best->factor;
  }
}

}  // namespace sparsedyn::inspection
