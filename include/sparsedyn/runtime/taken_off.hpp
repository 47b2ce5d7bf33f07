// Constant offsets that are taken off readings.
#pragma once

#include <vector>

namespace sparsedyn {

/// Constant offsets of readings, known up to a covariance: what SensorOffsets finds.
struct TakenOff {
  std::vector<int> rows;           // of the system, n noisy ones, each once
  std::vector<double> value;       // n
  std::vector<double> covariance;  // n × n; empty: exactly known
  /// k × n, row by row: directions of the offsets that nothing tells. Outputs that depend on them are undetermined.
  std::vector<double> open = {};

  /// tᵀ C t: the variance that they give to what follows them by t (n). No heap.
  double variance(const double* t) const noexcept;
  /// Whether something of that deviation depends by t on what nothing tells of them. The directions are of the size of the
  /// readings' deviations. No heap.
  bool leave_open(const double* t, double deviation) const noexcept;
};

}  // namespace sparsedyn
