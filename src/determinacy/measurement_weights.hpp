// What a sensor set says about each row and unknown of its system, for an estimate.
#pragma once

#include <vector>

#include "determinacy/reduced_rows.hpp"
#include "sparsedyn/determinacy/regularisation.hpp"
#include "sparsedyn/sparse/samples.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

struct MeasurementWeights {
  std::vector<char> left_out, exact;  // a row
  std::vector<double> weight;         // a row: 1/σ of noisy ones, else 0
  std::vector<char> prior;            // an unknown
  Regularisation regularisation;      // of closed ones; else of the priors alone
};

/// Which unknowns may get a unit precision where something is open.
enum class Closers { all_unknowns, free_unknowns };

/// The rows at the first of some states, where ranks are judged.
class RowsAtState {
 public:
  RowsAtState(const System& system, const Samples& samples);
  /// Throws RedundantExactRows.
  void refuse_redundant_exact_rows(const MeasurementWeights& stated) const;
  /// Fills in what `stated` says of closed weights.
  void close(MeasurementWeights& stated, Closers closers) const;

 private:
  const System& system_;
  ReducedRows reduced_;
};

/// A flag for each unknown: whether missing readings may leave it undetermined. Only joint accelerations and external wrenches
/// that no exact row states are flagged, because RowsAtState::close can close these alone.
std::vector<char> may_be_open(const System& system);

/// Without the rows flagged in `left_out` (one flag a row, or none).
MeasurementWeights measurement_weights(const System& system, const std::vector<char>& left_out);

/// The same, closed: of the unknowns that neither rows nor priors determine, as many get a unit precision as it takes for
/// nothing to stay open. Judged at the first of the samples. Throws RedundantExactRows.
MeasurementWeights closed_measurement_weights(const System& system, const std::vector<char>& left_out, const Samples& samples);

}  // namespace sparsedyn
