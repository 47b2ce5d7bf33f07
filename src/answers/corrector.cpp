#include "corrector.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {

Corrector::Corrector(const System& system)
    : system_(system),
      predicted_(system),
      prediction_(system.inputs().size(), 0.0),
      known_offset_(static_cast<std::size_t>(system.pattern().rows), 0.0),
      offset_(known_offset_) {
  corrected_.y.resize(system.inputs().size()), corrected_.is_outlier.resize(system.inputs().size());
  for (const KnownOffset& known : system.sensors().offsets)
    for (const Measurement& m : system.measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (m.columns[k] == known.column.name || m.stand_ins[k] == known.column.name)
          known_offset_[m.first_row + k] = known.value;
}

const CorrectedReadings& Corrector::correct(const double* q, const double* v, const double* y, const double* x,
                                            const TakenOff& offsets, const std::vector<int>& outliers) {
  predicted_.read(q, v, x, prediction_.data());
  offset_ = known_offset_;
  for (std::size_t k = 0; k < offsets.rows.size(); ++k) offset_[offsets.rows[k]] = offsets.value[k];
  std::fill(corrected_.y.begin(), corrected_.y.end(), std::nan(""));
  std::fill(corrected_.is_outlier.begin(), corrected_.is_outlier.end(), char(0));
  for (const Measurement& m : system_.measurements())
    for (int k = 0; k < m.rows(); ++k) {
      const int input = m.inputs[k], row = m.first_row + k;
      if (input < 0) continue;
      const double slope = predicted_.slope()[input];
      const bool is_outlier = std::find(outliers.begin(), outliers.end(), row) != outliers.end();
      corrected_.is_outlier[input] = is_outlier;
      if (is_outlier || std::isnan(y[input]))  // the prediction is of what the sensor would read: known offsets are in it
        corrected_.y[input] = prediction_[input] - known_offset_[row] * slope;
      else if (offset_[row] != 0)
        corrected_.y[input] = y[input] - offset_[row] * slope;
    }
  return corrected_;
}

}  // namespace sparsedyn
