// What searching for an estimator's plan and taking one out of storage share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "determinacy/measurement_weights.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"

namespace sparsedyn {

/// Of a sample: 1/σ of each row, and the precision of each unknown.
struct SampleWeights {
  std::vector<double> weight, precision;
};

/// The augmented system at the states of `samples`, with the weights that weights(s) gives at state s. `augmented` and `system`
/// must outlive it.
Samples augmented_samples(const Augmented& augmented, const System& system, const Samples& samples,
                          std::function<const SampleWeights&(int s)> weights);

/// Of EstimatorPlan::open_gaps. `stated`: of all rows.
Augmented augmented_for_open_gaps(const System& system, const MeasurementWeights& stated);

/// Who proposed the fallback order of a stored plan.
inline constexpr const char* fallback_for_gaps = "for samples with gaps";

/// What a plan keeps of the set beside its order.
void complete(MeasurementWeights stated, EstimatorPlan& plan);

/// EstimatorShape::fingerprint.
std::string estimator_fingerprint(const System& system, const Augmented& augmented);

/// Of all that an estimator's matrix depends on beside the structure and the state: the robot's numbers, deviations of readings
/// and of priors. 16 hexadecimal digits.
std::string estimator_numbers(const System& system);
/// The deviations among them, of all readings, then of priors; none where one is not finite.
std::vector<double> estimator_deviations(const System& system);

}  // namespace sparsedyn
