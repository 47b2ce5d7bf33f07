// A sensor set that knows more, or less, than the dynamics need as a program: the estimator's factorisation, recorded.
#pragma once

#include "sparsedyn/codegen/sensor_program.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// What the recorded estimate reads and gives beside the outputs.
struct EstimatorProgramOptions {
  /// The weights 1/σ of the noisy rows as an input `weight` (`weight.y.SENSOR…`) instead of the set's numbers. The
  /// plan's missing-data order is recorded. A weight of 0 is a missing measurement; it is answered as long as that order keeps
  /// its pivots. Else outputs are not finite, where the Estimator would look for another order.
  bool weights = false;
  bool deviations = false;  // an output `sd` (`sd.COLUMN`): posterior standard deviations. A solve for each column
  bool chi_square = false;  // an output `chi2`: Σ ((y_i − Y_i x) / σ_i)² over the noisy rows
};

/// Inputs and outputs as sensor_program's, the same numbers as the Estimator's for samples without gaps. Outputs that the plan
/// leaves undetermined are any solution's: ask EstimatorPlan::undetermined first. Throws UnknownOutput, std::domain_error.
Program estimator_program(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& outputs,
                          const ReadInputs& read, const EstimatorProgramOptions& options = {});

}  // namespace sparsedyn
