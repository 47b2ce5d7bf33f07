// What is counted over a log's samples: innovations, slips, the clock's jitter, and the time that a step takes.
#pragma once

#include <array>
#include <map>
#include <utility>

#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::tracking {

class TrackCounts {
 public:
  void add(const TrackerStep& step);
  void add_step_time(double seconds);
  void add_interval(double stamped);
  void tell(TrackFigures& figures) const;

 private:
  double median_step_us() const;

  long slips_ = 0, rows_ = 0, samples_ = 0, inside_ = 0, intervals_ = 0, steps_ = 0, surprises_ = 0;
  double sum_ = 0, mean_ = 0, squares_ = 0, worst_ = 0, surprise_ = 0;
  std::map<int, std::pair<double, double>> middle_;  // of chi-square, 95 %, by rows
  std::array<long, 512> histogram_{};                // of a step's microseconds, bins 4 % wide
};

}  // namespace sparsedyn::tracking
