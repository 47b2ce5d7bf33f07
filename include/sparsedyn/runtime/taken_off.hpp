// Constant offsets that are subtracted from readings.
#pragma once

#include <vector>

namespace sparsedyn {

/// Constant offsets of readings with their covariance, as SensorOffsets finds them.
struct TakenOff {
  std::vector<int> rows;           // of the system, n noisy ones, each once
  std::vector<double> value;       // n
  std::vector<double> covariance;  // n × n; empty: exactly known
  /// k × n, row by row: directions of the offsets that no reading determines. Outputs that depend on them are undetermined.
  std::vector<double> open = {};

  /// tᵀ C t: the variance that the offsets add to a quantity that depends on them by t (n). No heap.
  double variance(const double* t) const noexcept;
  /// Whether a quantity that depends on the offsets by t, and has that deviation, depends on undetermined directions, which are
  /// of the size of the readings' deviations. No heap.
  bool leave_open(const double* t, double deviation) const noexcept;
};

}  // namespace sparsedyn
