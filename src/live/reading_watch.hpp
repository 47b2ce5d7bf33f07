// Judges each reading by its own past, and by what the others predict where that is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "sparsedyn/live/live_estimate.hpp"
#include "sparsedyn/live/live_finding.hpp"
#include "usual_interval.hpp"

namespace sparsedyn {

/// Takes its memory at construction; no heap after.
class ReadingWatch {
 public:
  ReadingWatch(std::size_t readings, double missing_after);

  /// A sample at t (s): its readings, NaN where there is none, after `estimate` has answered it. expected: whether a reading is
  /// due at all. tell(LiveFinding): what was found.
  template <class Tell>
  void sample(double t, const double* row, const char* expected, const LiveEstimate& estimate, Tell&& tell) noexcept;

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  struct Reading {
    // gaps
    double last_there = none;
    UsualInterval usual;
    bool missing = false;
    // its own past
    long count = 0;
    double last = none, before = none;  // the newest values
    double last_time = 0;
    double repeats = 0;                                        // share of repetitions, lately
    double square = 0, step = 0;                               // of steps, lately: mean square, mean size
    double quantum = std::numeric_limits<double>::infinity();  // the smallest step
    int run = 0;                                               // samples of one value
    double run_began = 0, run_squares = 0;                     // of innovations in the run
    int run_judged = 0;
    double needed = 0;  // samples of one value after which that is no chance
    bool stuck = false;
    double spike_told = -std::numeric_limits<double>::infinity();
    // beside the others
    double off = 0;  // mean innovation, lately
    long judged = 0;
    bool drifts = false;
    double drift_began = 0;
  };

  /// The clock began anew at t: what was seen before is forgotten, what was told and is not over is not.
  void begin_anew(double t) noexcept;
  /// Each true: there is something to tell.
  bool look_for_gap(Reading& reading, double t, bool there, LiveFinding& found) noexcept;
  bool look_for_run(Reading& reading, double t, double value, double innovation, LiveFinding& found) noexcept;
  static bool look_for_spike(Reading& reading, double value, LiveFinding& found) noexcept;
  static void remember(Reading& reading, double t, double value) noexcept;
  bool look_for_drift(double t, LiveFinding& found) noexcept;

  std::vector<Reading> readings_;
  double missing_after_;
  double first_ = none, time_ = none;  // s, of the first sample on this clock; of the last one
  long samples_ = 0;
};

template <class Tell>
void ReadingWatch::sample(double t, const double* row, const char* expected, const LiveEstimate& estimate,
                          Tell&& tell) noexcept {
  if (samples_++ == 0) first_ = t;
  if (t < time_) begin_anew(t);
  time_ = t;
  LiveFinding found;
  for (std::size_t k = 0; k < readings_.size(); ++k) {
    Reading& reading = readings_[k];
    const bool there = std::isfinite(row[k]);
    const auto name_it = [&] {
      found.reading = static_cast<int>(k), found.at = t;
      tell(found);
    };
    found = {};
    if ((there || expected[k]) && look_for_gap(reading, t, there, found)) name_it();
    if (!there) continue;
    const double innovation = estimate.innovation(k);
    found = {};
    if (look_for_run(reading, t, row[k], innovation, found)) name_it();
    found = {};
    if (look_for_spike(reading, row[k], found)) name_it();
    remember(reading, t, row[k]);
    if (std::isfinite(innovation) && innovation != 0) {
      ++reading.judged;
      reading.off += (innovation - reading.off) / static_cast<double>(reading.judged < 2000 ? reading.judged : 2000);
    }
  }
  found = {};
  if (samples_ % 128 == 0 && look_for_drift(t, found)) found.at = t, tell(found);
}

}  // namespace sparsedyn
