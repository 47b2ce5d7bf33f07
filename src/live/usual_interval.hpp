// How long after one reading the next one is due, as learnt from those before.
#pragma once

#include <algorithm>
#include <cmath>

namespace sparsedyn {

/// The intervals between readings. No heap.
class UsualInterval {
 public:
  /// s, since the reading before; `apart`: s between their stamps.
  void add(double interval, double apart, double at) noexcept {
    count_ = std::min(count_ + 1, averaged);
    mean_ += (std::min(interval, longest_learnt) - mean_) / count_;  // also a silence: else a slow source were silent for ever
    if (const double now = std::floor(at / memory); now != window_)
      held_before_ = now == window_ + 1 ? held_ : 0, held_ = 0, window_ = now;
    // of readings that the way held back the first comes late after the one before, and the others at once
    bunch_ = apart > bunched * interval ? bunch_ + apart - interval : 0;
    if (apart >= 0 && apart < held_back * interval) hold(interval);
    hold(bunch_);
  }

  /// s without a reading before that is told, at least `at_least`. Where the way holds readings back and hands them on
  /// together, the longest such wait of the last seconds counts; stamps that are closer, or farther apart, than arrivals tell
  /// it from a silence.
  double allowed(double at_least) const noexcept {
    if (count_ < known_after) return std::max(at_least, longest_learnt);
    return std::max({at_least, intervals_allowed * mean_, waits_allowed * std::max(held_, held_before_)});
  }

 private:
  void hold(double wait) noexcept { held_ = std::max(held_, std::min(wait, longest_learnt)); }

  static constexpr double longest_learnt = 1;            // s: a silence counts as no more
  static constexpr double intervals_allowed = 2.5;       // of the mean
  static constexpr double waits_allowed = 1.5;           // of the longest
  static constexpr double held_back = 0.5, bunched = 2;  // of the time that passed: stamps that lie closer, or farther apart
  static constexpr double memory = 4;                    // s, and the same before
  static constexpr int known_after = 2;                  // intervals: before that a second is allowed
  static constexpr int averaged = 16;

  double mean_ = 0, bunch_ = 0, held_ = 0, held_before_ = 0, window_ = 0;  // s; window_: in units of memory
  int count_ = 0;
};

}  // namespace sparsedyn
