// Columns that stand still while the robot moves, and columns that hit a bound.
//
// That a value repeats L times by chance has the probability of p^(L−1) at each of n samples, p being the share of samples that
// repeat outside of the run; a run is suspected where that is below 1e-5. A robot may stand still too: so another column has to
// move meanwhile, the joint's other column must not stand still, and the column has to leap when it is let go, or to hold noise
// that is missing in the run.
#include <algorithm>
#include <cmath>

#include "column_tests.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn::inspection {
namespace {

struct Run {
  std::size_t first = 0, last = 0;  // samples, both included
  std::size_t length() const { return last - first + 1; }
};

std::vector<Run> runs_of(const Series& values) {
  std::vector<Run> runs;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != values[i - 1]) continue;  // a gap is no repetition
    if (!runs.empty() && runs.back().last + 1 == i)
      runs.back().last = i;
    else
      runs.push_back({i - 1, i});
  }
  return runs;
}

Series steps_of(const Series& values) {
  Series steps;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (const double d = std::abs(values[i] - values[i - 1]); d > 0) steps.push_back(d);
  return steps;
}

bool leaps_after(const Series& values, const Run& run, double usual) {
  return run.last + 1 < values.size() && std::abs(values[run.last + 1] - values[run.last]) > 8 * usual;
}

/// What a joint's other column says of a run.
enum class Meanwhile { unknown, moved, slow, still };

/// Of a position what its velocity says, of a velocity what its position says.
Meanwhile moved_meanwhile(Examination& x, const std::string& name, const Run& run) {
  const bool position = name.compare(0, 2, "q.") == 0, velocity = name.compare(0, 3, "dq.") == 0;
  if (!position && !velocity) return Meanwhile::unknown;
  const Series* const other = x.column(position ? "d" + name : name.substr(1));
  if (!other) return Meanwhile::unknown;
  const double size = position ? rms_of(*other) : median_of(steps_of(*other));
  std::size_t moving = 0;
  double most = 0;
  for (std::size_t i = run.first + 1; i <= run.last; ++i) {
    const double motion = std::abs(position ? (*other)[i] : (*other)[i] - (*other)[i - 1]);
    moving += motion > 0.2 * size;
    if (i < run.last) most = std::max(most, motion);  // with the last sample it may set out again
  }
  if (most <= 0.05 * size) return Meanwhile::still;
  return moving * 2 > run.length() ? Meanwhile::moved : Meanwhile::slow;
}

void take_out(Series& values, const Run& run) {
  for (std::size_t i = run.first; i <= run.last; ++i) values[i] = std::nan("");
}

}  // namespace

MotionAtRest::MotionAtRest(Examination& x) {
  for (std::size_t c = 0; c < x.log.columns.size(); ++c) {
    const std::string& name = x.log.columns[c];
    if (name.compare(0, 2, "q.") == 0 || name.compare(0, 3, "dq.") == 0)
      positions_.push_back({name, &x.values[c], median_of(steps_of(x.values[c]))});
  }
}

bool MotionAtRest::moves(std::size_t i, const std::string& but) const {
  for (const Position& position : positions_) {
    if (i == 0 || position.name == but) continue;
    if (std::abs((*position.values)[i] - (*position.values)[i - 1]) > 0.1 * position.usual) return true;
  }
  return false;
}

bool MotionAtRest::moves_most_of(std::size_t first, std::size_t last, const std::string& but) const {
  std::size_t moving = 0;
  for (std::size_t i = first + 1; i <= last; ++i) moving += moves(i, but);
  return moving * 10 > 6 * (last - first);
}

void test_stuck(Examination& x, const std::string& name, Series& values, double grid, const MotionAtRest& rest) {
  const std::vector<Run> runs = runs_of(values);
  const auto n = static_cast<double>(values.size());
  double repeats = 0;
  for (const Run& run : runs) repeats += static_cast<double>(run.length() - 1);
  const double usual = median_of(steps_of(values));
  const bool white = grid == 0 && repeats < 0.3 * n && white_noise_of(values) > 0;
  std::vector<Run> stuck;
  for (const Run& run : runs) {
    const double others = repeats - static_cast<double>(run.length() - 1);
    const double p = (others + 0.5) / (n - static_cast<double>(run.length()) + 1);
    const double by_chance = n * std::pow(std::min(p, 0.999), static_cast<double>(run.length() - 1));
    if (run.length() < 8 || by_chance > 1e-5) continue;
    const bool noisy = white && p < 0.02;  // readings that repeat are rounded, not noisy
    if (!noisy && !rest.moves_most_of(run.first, run.last, name)) continue;
    const bool whole = static_cast<double>(run.length()) > 0.98 * n;
    const double held = values[run.first];
    if (whole) {
      if (held != 0 && name[0] != 'y') continue;                                            // a joint that is held
      if (held == 0 && (name[0] != 'y' || name.find(".f") != std::string::npos)) continue;  // not measured, or in the air
      if (name[0] == 'y') stuck.push_back(run);
      continue;
    }
    if (held == 0 && name[0] != 'q') continue;  // nothing touches, nothing turns
    const Meanwhile joint = moved_meanwhile(x, name, run);
    if (joint == Meanwhile::still || (joint == Meanwhile::slow && !noisy)) continue;
    const bool leaps = leaps_after(values, run, std::max(usual, grid));
    const bool at_end = (joint == Meanwhile::moved || name[0] == 't' || name[0] == 'y') && run.last + 1 >= values.size() &&
                        grid == 0 && p < 0.02 && static_cast<double>(run.length()) > 20;
    if (leaps || noisy || at_end) stuck.push_back(run);
  }
  if (stuck.empty()) return;
  std::size_t longest = 0;
  for (const Run& run : stuck) longest = std::max(longest, run.length());
  x.add(FindingKind::stuck, Severity::harm, {name},
        name + ": " + std::to_string(longest) + " samples in a row have one value while the robot moves" +
            (stuck.size() > 1
                 ? ", and " + how_many(static_cast<long>(stuck.size()) - 1, "more such stretch", "more such stretches")
                 : ""),
        "a sensor or driver that repeats its last reading", "leave these cells empty", static_cast<double>(stuck.front().first),
        static_cast<double>(stuck.back().last));
  for (const Run& run : stuck) take_out(values, run);
}

void test_saturated(Examination& x, const std::string& name, Series& values, double grid, const MotionAtRest& rest) {
  if (grid > 0 || name.compare(0, 2, "q.") == 0) return;
  double low = std::nan(""), high = std::nan("");
  for (double value : values)
    if (std::isfinite(value))
      low = value < low || std::isnan(low) ? value : low, high = value > high || std::isnan(high) ? value : high;
  const auto n = static_cast<double>(values.size());
  const std::vector<Run> runs = runs_of(values);
  std::size_t most = 1;  // repetitions of one value between the bounds
  for (const Run& run : runs)
    if (values[run.first] != low && values[run.first] != high) most = std::max(most, run.length());
  std::vector<std::size_t> at;
  for (double bound : {low, high}) {
    if (bound == 0 || low == high) continue;
    std::vector<std::size_t> touching;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] == bound) touching.push_back(i);
    const auto count = static_cast<double>(touching.size());
    if (count < std::max(6.0, 0.004 * n) || count < 4 * static_cast<double>(most) || count > 0.95 * n) continue;
    std::size_t moving = 0;
    for (std::size_t i : touching) moving += rest.moves(i, name);
    const double usual = median_of(steps_of(values));
    Run longest;
    for (const Run& run : runs)
      if (values[run.first] == bound && run.length() > longest.length()) longest = run;
    const bool one_run = static_cast<double>(longest.length()) > 0.97 * count;
    if (static_cast<double>(moving) < 0.6 * count || (one_run && leaps_after(values, longest, usual))) continue;
    at.insert(at.end(), touching.begin(), touching.end());
  }
  if (at.empty()) return;
  const auto [first, last] = std::minmax_element(at.begin(), at.end());
  x.add(FindingKind::saturated, Severity::harm, {name},
        name + ": " + std::to_string(at.size()) + " samples are exactly " + shown(low) + " or " + shown(high) +
            ", the column's bounds, and no other value repeats as often",
        "readings beyond the sensor's range, or a torque at the motor's limit", "leave these cells empty",
        static_cast<double>(*first), static_cast<double>(*last));
  for (std::size_t i : at) values[i] = std::nan("");
}

}  // namespace sparsedyn::inspection
