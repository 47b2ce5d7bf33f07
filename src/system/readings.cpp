#include "sparsedyn/system/readings.hpp"

namespace sparsedyn {

Readings::Readings(const System& system)
    : system_(system),
      work_(system),
      values_(system.pattern().entries()),
      right_side_(system.pattern().rows),
      at_zero_(system.pattern().rows),
      at_one_(system.pattern().rows) {
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0) reads_.push_back({m.inputs[k], m.first_row + k});
}

/// A x − b.
void Readings::residuals(const double* q, const double* v, const double* x, const double* y,
                         std::vector<double>& out) noexcept {
  const Pattern& p = system_.pattern();
  system_.assemble(q, v, y, values_.data(), right_side_.data(), work_);
  for (int r = 0; r < p.rows; ++r) {
    out[r] = -right_side_[r];
    for (int k = p.row_start[r]; k < p.row_start[r + 1]; ++k) out[r] += values_[k] * x[p.column[k]];
  }
}

/// A sensor's row is linear in its own reading and free of all others', so its residuals at readings 0 and 1 give the root.
void Readings::predict(const double* q, const double* v, const double* x, double* y) noexcept {
  for (const Read& read : reads_) y[read.input] = 0.0;
  residuals(q, v, x, y, at_zero_);
  for (const Read& read : reads_) y[read.input] = 1.0;
  residuals(q, v, x, y, at_one_);
  for (const Read& read : reads_) y[read.input] = at_zero_[read.row] / (at_zero_[read.row] - at_one_[read.row]);
}

}  // namespace sparsedyn
