// How long after one reading the next one is due, as learnt from those before.
#pragma once

#include <algorithm>

namespace sparsedyn {

constexpr double longest_learnt = 1;      // s: a silence counts as no more
constexpr double periods_allowed = 2.5;   // that a reading may be late by
constexpr int known_after_intervals = 2;  // before that a second is allowed
constexpr int intervals_averaged = 16;

/// Every interval counts, one that was told as a silence too: else a source slower than what is allowed were silent for ever.
inline void add_interval(double interval, double& period, int& intervals) noexcept {
  intervals = std::min(intervals + 1, intervals_averaged);
  period += (std::min(interval, longest_learnt) - period) / intervals;
}

/// s, at least `at_least`.
inline double allowed_silence(double at_least, double period, int intervals) noexcept {
  if (intervals < known_after_intervals) return std::max(at_least, longest_learnt);
  return std::max(at_least, periods_allowed * period);
}

}  // namespace sparsedyn
