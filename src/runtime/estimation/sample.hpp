// One sample of an estimator: what is read of it, and what comes out.
#pragma once

#include <vector>

#include "sparsedyn/runtime/taken_off.hpp"
#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

struct EstimatorSample {
  /// outputs: how many deviations are kept. All memory is taken here.
  EstimatorSample(const System& system, const Augmented& augmented, std::size_t outputs);

  /// Notes the gaps (NaN in y) and assembles the equations with zeros in them and without the offsets. augmented: which rows
  /// are exact.
  void read(const System& system, const Augmented& augmented, const TakenOff& offsets, const double* at_q, const double* at_v,
            const double* readings) noexcept;

  SystemWorkspace<double> work;
  std::vector<double> q, v, y, values, right_side;  // y: 0 in the gaps
  std::vector<char> missing;                        // a row of the system
  int gaps = 0;
  bool exact_row_missing = false;
  std::vector<double> solution;                 // of the augmented system: the unknowns, then a residual for each row
  std::vector<double> deviations, innovations;  // where they are asked for
  std::vector<double> variances;                // as a sweep found them: of the outputs, then of the rows' residuals
  std::vector<char> follows_open_offset;        // an output
  bool doubtful = true;                         // the factors may have lost digits that a sweep needs
  bool spread_found = false;                    // what is wanted of the deviations and innovations
  bool state_entered = false;                   // deviations: the state's own are in them
};

}  // namespace sparsedyn
