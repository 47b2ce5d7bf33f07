// What an Estimator is made of, and how the parts answer for a sample.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/derivatives/estimator_derivatives.hpp"
#include "runtime/estimation/chi_square_test.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/estimation/huber.hpp"
#include "runtime/estimation/reading_offsets.hpp"
#include "runtime/estimation/reading_weights.hpp"
#include "runtime/estimation/sample_batch.hpp"
#include "runtime/estimation/sample_solver.hpp"
#include "runtime/estimation/suspects.hpp"
#include "runtime/spread/covariances.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// A sample is read, solved by an order that serves it, judged, solved again where it holds outliers, and answered with
/// deviations.
struct Estimator::Parts {
  Parts(std::shared_ptr<const System> of, const std::shared_ptr<const EstimatorPlan>& plan, const EstimatorOptions& options);

  /// Of a sample that was read.
  EstimateStatus answer(EstimatorSample& sample, double* out) noexcept;
  /// Of the k-th of the batch.
  EstimateStatus take(int k, double* out) noexcept;
  /// Finds the RowSpread of every row for all samples of the batch, where this one lies in it and memory was taken for that.
  void compare_in_lanes() noexcept;
  /// Before so many readings are compared with what others predict: finds every RowSpread at once where that costs less.
  void expect_comparisons(int readings) noexcept;
  void find_in_lanes(Spread wanted) noexcept;
  Spread wanted_spread() const noexcept { return {spread.of_outputs || !offsets.taken_off().open.empty(), spread.of_rows}; }
  /// False where there is no sample to derive at.
  bool prepare_derivatives() noexcept;

  std::shared_ptr<const System> system;
  SolverCounts counts;
  Outputs outputs;
  ReadingWeights weights;
  ReadingOffsets offsets;
  SweptPairs swept_pairs;
  SampleSolver solver;
  EstimatorSample own;
  ChiSquareTest test;
  std::optional<HuberEstimate> huber;
  Deviations deviations;
  Suspects suspects;
  bool gate, compares;
  Spread spread;                             // what the options ask for
  std::unique_ptr<Covariances> covariances;  // or none
  double tolerance;
  std::optional<SampleBatch> batch;
  bool state_deviates;
  std::unique_ptr<EstimatorDerivatives> derivatives;  // or none
  std::vector<char> determined;                       // an output
  bool answered = false;                              // the last sample was ok

 private:
  void remedy_outliers(EstimateStatus& status) noexcept;
  void find_spread() noexcept;
  EstimateStatus finish(const EstimateStatus& status, double* out) noexcept;
};

}  // namespace sparsedyn
