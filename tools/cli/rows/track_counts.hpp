// What is counted over a log's samples: innovations, slips, the clock's jitter, and the time that a step takes.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "cli/support/json_text.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::cli {

class TrackCounts {
 public:
  void add(const TrackerStep& step);
  void add_step_time(double seconds);
  void add_interval(double stamped);

  long slips() const { return slips_; }
  double nis_mean() const { return rows_ > 0 ? sum_ / static_cast<double>(rows_) : std::nan(""); }
  /// Share of the samples whose squares lie within the middle 95 % of chi-square; NaN without one.
  double inside() const { return samples_ > 0 ? static_cast<double>(inside_) / static_cast<double>(samples_) : std::nan(""); }
  double mean_interval() const { return mean_; }
  double jitter() const { return intervals_ > 1 ? std::sqrt(squares_ / static_cast<double>(intervals_ - 1)) : 0; }
  double median_step_us() const;
  double worst_step_us() const { return worst_; }

 private:
  long slips_ = 0, rows_ = 0, samples_ = 0, inside_ = 0, intervals_ = 0, steps_ = 0;
  double sum_ = 0, mean_ = 0, squares_ = 0, worst_ = 0;
  std::map<int, std::pair<double, double>> middle_;  // of chi-square, 95 %, by rows
  std::array<long, 512> histogram_{};                // of a step's microseconds, bins 4 % wide
};

}  // namespace sparsedyn::cli
