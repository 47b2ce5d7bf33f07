// What the measurements of a row should have been.
#pragma once

#include <vector>

#include "determinacy/predicted_readings.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

class Corrector {
 public:
  /// The system must outlive it.
  explicit Corrector(const System& system);

  /// Readings less their offsets; gaps and the rows in `outliers` are predicted from the unknowns x.
  const CorrectedReadings& correct(const double* q, const double* v, const double* y, const double* x, const TakenOff& offsets,
                                   const std::vector<int>& outliers);

 private:
  const System& system_;
  PredictedReadings predicted_;
  CorrectedReadings corrected_;
  std::vector<double> prediction_, known_offset_, offset_;  // of each input; of each row
};

}  // namespace sparsedyn
