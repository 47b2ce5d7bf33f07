// The times of a log in the order of its clock, and the step that they keep to.
#pragma once

#include <algorithm>

#include "series.hpp"

namespace sparsedyn::inspection {

constexpr double hole = 1.6;  // steps: rows are missing

/// The longest step without a row that is missing, of times that are rounded to multiples of `rounding` (0: not at all).
inline double longest_step(double step, double rounding) { return std::max(hole * step, step + 1.01 * rounding); }

/// Times that ascend: repeated ones are left out, stretches that go back follow what was before them, after a hole.
struct AscendingTimes {
  Series times;                   // in the log's unit
  std::vector<std::size_t> rows;  // of the log, one for each time
  long repeated = 0, back = 0, missing = 0;
  std::size_t first_fault = 0, last_fault = 0;      // rows whose times repeat or go back
  std::size_t first_missing = 0, last_missing = 0;  // rows without a time
  double added = 0;                                 // time between the stretches of a clock that was set back, less a step each
};

/// Rows that are late by a few steps are sorted in; a clock that is set back begins anew, 30 steps later.
AscendingTimes ascending_times(const Series& raw, double step);

/// The median of the steps that go forward; NaN without any.
double median_step(const Series& times);
/// The mean of the steps that are near the median, `usual`. Times of few digits have a median that is off by as much as they
/// are rounded (of three digits at 240 Hz 4 ms instead of 4.1667 ms); the mean of n steps is off by 1 / n of it. Of steps of 1
/// and 2 ms (800 Hz) those of 2 ms count where they come as regularly as rounding makes them, and are lost rows otherwise: 1
/// kHz of which every fifth row is lost cannot be told from 800 Hz.
double mean_step(const Series& times, double usual);

/// What times of few digits are multiples of, such as 1 ms: a power of ten below 0.99 steps and above 0.02. 0 where there is
/// none, or where steps deviate by more than rounding makes them.
double rounding_of(const Series& times, double step);

/// When each row was taken, in the log's unit since the first row; empty cells lie between their neighbours. Empty where times
/// go back, or where none is known.
Series times_of_rows(const Series& raw, const AscendingTimes& found, double step);

}  // namespace sparsedyn::inspection
