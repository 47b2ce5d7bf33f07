#include "runtime/estimation/sample.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {

EstimatorSample::EstimatorSample(const System& system, const Augmented& augmented, std::size_t outputs, std::size_t pairs)
    : work(system),
      q(system.model().nq),
      v(system.model().nv),
      y(system.inputs().size()),
      values(system.pattern().entries()),
      right_side(system.pattern().rows),
      missing(system.pattern().rows),
      solution(augmented.pattern().columns),
      deviations(outputs),
      innovations(system.pattern().rows),
      variances(outputs + innovations.size() + pairs),
      rows(innovations.size()),
      follows_open_offset(outputs) {}

void EstimatorSample::read(const System& system, const Augmented& augmented, const TakenOff& offsets, const double* at_q,
                           const double* at_v, const double* readings) noexcept {
  std::copy_n(at_q, q.size(), q.data());
  std::copy_n(at_v, v.size(), v.data());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = std::isnan(readings[k]) ? 0.0 : readings[k];
  std::fill(missing.begin(), missing.end(), char(0));
  gaps = 0, exact_row_missing = state_entered = sweep_lost_digits = outputs_found = rows_found = pairs_found = in_lane = false;
  doubtful = true;
  for (const Measurement& measurement : system.measurements())
    for (int k = 0; k < measurement.rows(); ++k)
      if (measurement.inputs[k] >= 0 && std::isnan(readings[measurement.inputs[k]])) {
        const int row = measurement.first_row + k;
        missing[row] = 1;
        exact_row_missing = exact_row_missing || augmented.exact(row);
        ++gaps;
      }
  system.assemble(at_q, at_v, y.data(), values.data(), right_side.data(), work);
  for (std::size_t k = 0; k < offsets.rows.size(); ++k) right_side[offsets.rows[k]] -= offsets.value[k];
}

}  // namespace sparsedyn
