// What searching for an estimator's plan and taking one out of storage share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "determinacy/measurement_weights.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// The augmented system at the states of `samples`, with the weights that weight(s) gives at state s. `augmented` and `system`
/// must outlive it.
Samples augmented_samples(const Augmented& augmented, const System& system, const Samples& samples,
                          std::function<std::vector<double>(int s)> weight, std::vector<double> precision);

/// What a plan keeps of the set beside its order.
void complete(MeasurementWeights stated, EstimatorPlan& plan);

/// EstimatorShape::fingerprint.
std::string estimator_fingerprint(const System& system, const Augmented& augmented);

}  // namespace sparsedyn
