// One sample of an estimator: what is read of it, and what comes out.
#pragma once

#include <vector>

#include "sparsedyn/runtime/taken_off.hpp"
#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// Of a row's weighted residual: what it answers to a unit of its own measurement (Deviations), and the variance of (y − Y
/// x)/σ.
struct RowSpread {
  double response = 0, variance = 0;
};

struct EstimatorSample {
  /// outputs: how many deviations are kept; pairs: how many covariances a sweep finds. All memory is taken here.
  EstimatorSample(const System& system, const Augmented& augmented, std::size_t outputs, std::size_t pairs = 0);

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
  std::vector<double> variances;                // as a sweep found them: of outputs, of rows' residuals; covariances of pairs
  std::vector<RowSpread> rows;                  // where they are asked for
  std::vector<char> follows_open_offset;        // an output
  bool doubtful = true;                         // the factors may have lost digits that a sweep needs
  bool sweep_lost_digits = false;               // as its lane showed
  bool outputs_found = false;                   // `deviations` are those of the solution
  bool rows_found = false;                      // `rows` are those of the solution
  bool pairs_found = false;                     // `variances` holds covariances of the solution
  bool in_lane = false;                         // the solution is that of its lane of a batch
  bool state_entered = false;                   // deviations: the state's own are in them
};

}  // namespace sparsedyn
