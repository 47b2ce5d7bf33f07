// What an estimator's orders are judged by: its augmented system at many states, with all readings and with gaps.
#pragma once

#include <string>
#include <vector>

#include "determinacy/measurement_weights.hpp"
#include "runtime/plans/estimator_samples.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The augmented system with these weights, in turn, at the states of `samples`. All arguments must outlive it. Several threads
/// may ask for its states, each for others.
OrderingProblem augmented_problem(const Augmented& augmented, const System& system, const Samples& samples,
                                  std::vector<SampleWeights> weights);

/// A set, and its augmented system at the states at which orders are judged.
struct EstimatorProblem {
  EstimatorProblem(const System& of, const std::vector<char>& left_out, const OptimiseOptions& options);
  EstimatorProblem(const EstimatorProblem&) = delete;

  const System& system;
  Samples samples;
  MeasurementWeights stated;
  Augmented augmented;
  OrderingProblem all_readings, with_gaps;
};

/// The structure that orders belong to, with all else that decides which are proposed and at which states they are judged.
std::string structure_of(const EstimatorProblem& problem, const OptimiseOptions& options);

}  // namespace sparsedyn
