// What a sensor set says about each row and unknown of its system, for an estimate.
#pragma once

#include <vector>

#include "sparsedyn/sparse/detail/samples.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

struct MeasurementWeights {
  std::vector<char> left_out, exact;  // a row
  std::vector<double> weight;         // a row: 1/σ of noisy ones, else 0
  std::vector<char> prior;            // an unknown
  std::vector<double> precision;      // an unknown: 1/s², else 0
  // of closed ones alone:
  std::vector<char> undetermined = {};  // an unknown
  int redundancy = 0;                   // noisy rows and priors beyond those needed
};

/// Without the rows flagged in `left_out` (one flag a row, or none).
MeasurementWeights measurement_weights(const System& system, const std::vector<char>& left_out);

/// The same, closed: of the unknowns that neither rows nor priors determine, as many get a unit precision as it takes for
/// nothing to stay open. Judged at the first of the samples. Throws RedundantExactRows.
MeasurementWeights closed_measurement_weights(const System& system, const std::vector<char>& left_out, const Samples& samples);

}  // namespace sparsedyn
