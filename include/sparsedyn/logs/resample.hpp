// Resampling of a log with jittering times to an even clock, as for recordings of several topics: linear interpolation between
// the samples before and after, which are at most `max_gap` apart; orientations along the shorter way.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

struct Resampled {
  std::vector<double> time;                 // s: the multiples of 1 / rate within the log
  std::vector<std::vector<double>> values;  // of each column; NaN if no samples are near enough, or one of them is NaN
  long late = 0;                            // samples that are not later than the one before; they were sorted
  long repeated = 0;                        // samples with the time of a later one, which is used
};

/// columns: their names; `time` (s) and the values of each column: one for each sample. Columns X.qx, X.qy, X.qz, X.qw are one
/// orientation. A position q.* that jumps by nearly 2π is interpolated the shorter way. A sample at a time of the clock, to
/// half a nanosecond, is used unchanged. Throws std::invalid_argument for wrong sizes, for times or a rate that are not
/// numbers, and for a clock of more than 2^31 times. Cost: sorting the samples.
Resampled resample(const std::vector<std::string>& columns, const std::vector<double>& time,
                   const std::vector<std::vector<double>>& values, double rate, double max_gap = 0.1);

}  // namespace sparsedyn
