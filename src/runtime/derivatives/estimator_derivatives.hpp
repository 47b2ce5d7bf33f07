// What an Estimator keeps for its derivatives.
#pragma once

#include <memory>
#include <vector>

#include "derivative_engine.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

struct EstimatorDerivatives {
  EstimatorDerivatives(const System& system, const Outputs& outputs, const EstimatorOptions& options);
  DerivativeEngine engine;
  PlannedEquations planned;
  std::vector<double> weight;  // a row of the system: 1 where it is exact
  std::vector<double> dq, dv;  // outputs × nv, for deviations that the state's own make
};

std::unique_ptr<EstimatorDerivatives, DeleteEstimatorDerivatives> made_derivatives(const System& system, const Outputs& outputs,
                                                                                   const EstimatorOptions& options);

}  // namespace sparsedyn
