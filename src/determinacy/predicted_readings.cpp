#include "sparsedyn/determinacy/predicted_readings.hpp"

namespace sparsedyn {

PredictedReadings::PredictedReadings(const System& system)
    : system_(system),
      work_(system),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      zeros_(system.inputs().size(), 0.0),
      ones_(zeros_),
      at_zero_(zeros_),
      slope_(zeros_) {
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0) ones_[m.inputs[k]] = 1.0;
}

double PredictedReadings::residual(int r, const double* values, const double* right_side, const double* x) const noexcept {
  const Pattern& pattern = system_.pattern();
  double residual = -right_side[r];
  for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) residual += values[k] * x[pattern.column[k]];
  return residual;
}

/// A row's residual is affine in its own reading: the reading that makes it vanish follows from two values of it. (Readings
/// that have no row, wrenches known to be zero on links on fixed joints, stay zero: they enter other sensors' rows.)
void PredictedReadings::read(const double* q, const double* v, const double* x, double* y) noexcept {
  for (const bool first : {true, false}) {
    system_.assemble(q, v, (first ? zeros_ : ones_).data(), values_.data(), right_side_.data(), work_);
    for (const Measurement& m : system_.measurements())
      for (int k = 0; k < m.rows(); ++k) {
        const int input = m.inputs[k];
        if (input < 0) continue;
        const double left = residual(m.first_row + k, values_.data(), right_side_.data(), x);
        if (first) {
          at_zero_[input] = left;
        } else {
          y[input] = -at_zero_[input] / (left - at_zero_[input]);
          slope_[input] = -1 / (left - at_zero_[input]);
        }
      }
  }
}

}  // namespace sparsedyn
