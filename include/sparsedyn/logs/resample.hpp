// A log whose times jitter, on an even clock. By the rule of recordings of many topics: on the line between the samples before
// and after, which are at most `max_gap` apart, orientations by the shorter way.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

struct Resampled {
  std::vector<double> time;                 // s: the multiples of 1 / rate within the log
  std::vector<std::vector<double>> values;  // of each column; NaN where no samples are near enough, or one of them is NaN
  long late = 0;                            // samples that are not after the one before: they were put in order
  long repeated = 0;                        // samples at the time of a later one, which counts
};

/// columns: their names; `time` (s) and the values of each column: one a sample. Columns X.qx, X.qy, X.qz, X.qw are one
/// orientation. A position q.* that jumps by nearly 2π goes on the shorter way. A sample at a time of the clock, to half a
/// nanosecond, is taken as it is. Throws std::invalid_argument for sizes that do not fit, times or a rate that are no numbers,
/// and a clock of more than 2^31 times. Cost: sorting the samples.
Resampled resample(const std::vector<std::string>& columns, const std::vector<double>& time,
                   const std::vector<std::vector<double>>& values, double rate, double max_gap = 0.1);

}  // namespace sparsedyn
