// How long after one reading the next one is due, as learnt from those before.
#pragma once

#include <algorithm>
#include <cmath>

namespace sparsedyn {

/// The intervals between readings. No heap.
class UsualInterval {
 public:
  /// s, since the reading before; `apart`: s between their stamps, NaN where one of them is not believed; `at`: s, now.
  void add(double interval, double apart, double at) noexcept {
    count_ = std::min(count_ + 1, averaged);
    mean_ += (std::min(interval, longest_learnt) - mean_) / count_;  // also a silence: else a slow source were silent for ever
    if (const double now = std::floor(at / memory); now != window_) {
      before_ = now == window_ + 1 ? lately_ : Window{};
      lately_ = {}, window_ = now;
    }
    if (!(std::abs(apart) <= longest_learnt)) {  // a gap of a log, or a stamp that is wrong, tells of no way
      bunch_ = 0;
      return;
    }
    lately_.apart += apart, lately_.passed += interval;
    learn_waits(interval, apart / speed(), apart);
  }

  /// s without a reading before that is told, at least `at_least`. Where the way holds readings back and hands them on
  /// together, the longest such wait of the last seconds counts; stamps that are closer, or farther apart, than arrivals tell
  /// it from a silence.
  double allowed(double at_least) const noexcept {
    if (count_ < known_after) return std::max(at_least, longest_learnt);
    return std::max({at_least, intervals_allowed * mean_, waits_allowed * longest_wait()});
  }

 private:
  /// Over so long.
  struct Window {
    double apart = 0, passed = 0;    // s, in all: between stamps, and between arrivals
    double waited = 0, bunched = 0;  // s, the longest wait, by what came after it and by what came at once
  };

  /// Seconds of stamps in a second: a simulator's clock may run slower or faster. Before much has passed it is near 1.
  double speed() const noexcept {
    return std::max((supposed + lately_.apart + before_.apart) / (supposed + lately_.passed + before_.passed), slowest);
  }
  double longest_wait() const noexcept { return std::max({lately_.waited, lately_.bunched, before_.waited, before_.bunched}); }
  /// Of readings that the way held back the first comes late after the one before, and the others at once. sent: s between
  /// them as they were sent, by our clock.
  void learn_waits(double interval, double sent, double apart) noexcept {
    const bool at_once = sent > bunched * interval;
    bunch_ = at_once ? bunch_ + sent - interval : 0;
    if (sent >= 0 && sent < held_back * interval) lately_.waited = std::max(lately_.waited, std::min(interval, longest_learnt));
    if (!at_once && apart > bunched * interval) lately_.bunched = before_.bunched = 0;  // it was a clock that is fast
    lately_.bunched = std::max(lately_.bunched, std::min(bunch_, longest_learnt));
  }

  static constexpr double longest_learnt = 1;            // s: a silence counts as no more
  static constexpr double intervals_allowed = 2.5;       // of the mean
  static constexpr double waits_allowed = 1.5;           // of the longest
  static constexpr double held_back = 0.5, bunched = 2;  // of the time that passed: stamps that lie closer, or farther apart
  static constexpr double memory = 4;                    // s, and the same before
  static constexpr double supposed = 1;                  // s, of a clock as fast as ours
  static constexpr double slowest = 1e-3;                // of our clock
  static constexpr int known_after = 2;                  // intervals: before that a second is allowed
  static constexpr int averaged = 16;

  double mean_ = 0, bunch_ = 0, window_ = 0;  // s; window_: in units of memory
  Window lately_, before_;
  int count_ = 0;
};

}  // namespace sparsedyn
