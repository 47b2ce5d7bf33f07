// The runtime for sensor sets that measure more, or less, than the dynamics require: the most likely x given exact rows, noisy
// rows and priors (augmented.hpp), with posterior standard deviations. The plan is static: a missing measurement gets weight
// zero, and an outlier a reduced weight. planning/optimise.hpp searches for plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sparsedyn/determinacy/regularisation.hpp"
#include "sparsedyn/runtime/estimator_plan.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/runtime/taken_off.hpp"
#include "sparsedyn/sparse/batch.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The outputs of an Estimator, and how it treats outliers and gaps.
struct EstimatorOptions {
  std::vector<std::string> outputs;  // as Outputs takes them; empty: every unknown
  bool standard_deviations = false;  // of each output; with those that the state's own (System::position_sigma) make
  bool innovations = false;          // of each noisy row
  /// Pairs of outputs whose covariance is wanted, each by one column (`tau.knee`), which need not be among `outputs`. Of those
  /// that are, with standard_deviations, their sweep finds most; else a solve for each that is named.
  std::vector<std::pair<std::string, std::string>> covariances;
  double tolerance = 1e-12;  // of both backward errors
  bool in_batches = false;   // allocates memory for prepare()
  /// Residuals beyond so many standard deviations of the reading count in proportion, no longer squared (Huber 1964), by
  /// reweighting under the same plan. 0: all are squared. Bounds readings that others predict (redundancy ≥ 0.5).
  double huber = 0;
  /// Samples whose chi-square is an outlier: their suspects are left out (leave_out_suspects).
  bool gate = false;
  double false_alarm = 1e-6;  // of the chi-square's test
  bool derivatives = false;   // allocates memory for derivatives()
  bool comparisons = false;   // allocates memory for against_others() of many readings of a sample together
  /// Called when the flagged noisy rows are missing and the rest no longer determines everything (GapCloser::close); the plan's
  /// order for open gaps is then used. It may allocate; up to 4096 answers are kept, and each pattern is asked for once.
  std::function<Regularisation(const std::vector<char>& missing_rows)> close_gaps;
  /// Makes a plan for such a pattern if that order does not serve, or if exact rows are missing; it may take long and allocate.
  /// Up to 4096 plans are kept, and each pattern is asked for once; if it returns none, the sample fails.
  std::function<std::shared_ptr<const EstimatorPlan>(const std::vector<char>& missing_rows)> replan;
};

/// The result of one estimate.
struct EstimateStatus : SolverStatus {
  double chi_square = 0;  // Σ ((y_i − Y_i x) / σ_i)² over the noisy rows, before any reweighting
  int redundancy = 0;     // its expectation, if the noise is as the set states
  int missing = 0;        // rows without a measurement
  bool outlier = false;   // the chi-square lies above its quantile 1 − false_alarm
  int reweighted = 0;     // readings that count less (huber) or are left out (gate)
  /// huber: the last relative change of a reading's weight if the reweighting ended before it converged; 0 if it converged.
  double unsettled = 0;
};

/// A reading minus its prediction from all others. Difference over deviation is the innovation.
struct AgainstOthers {
  double difference;  // reading less prediction, in σ of the reading
  double deviation;   // of that difference, in the same unit; ∞ if no other reading predicts this one, or it is missing
};

/// Executes an EstimatorPlan at each sample. Use one object for each thread.
class Estimator {
 public:
  /// System and plan are shared and not changed. Throws UnknownOutput, std::invalid_argument (also for a system of
  /// system_with_inputs), ZeroPivot.
  Estimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan, const EstimatorOptions& options);
  ~Estimator();
  Estimator(Estimator&&) noexcept;             // a moved-from object may only be assigned to or destroyed
  Estimator& operator=(Estimator&&) noexcept;  // likewise

  /// The system that it estimates.
  const System& system() const;
  /// The names of the outputs, in order.
  const std::vector<std::string>& output_columns() const;

  /// q (nq, unit quaternions), v (nv), y (system().inputs(); NaN: missing in this sample) → out (output_columns()).
  /// Heap-free unless options.close_gaps or options.replan has to be asked. Outputs that the sample leaves undetermined become
  /// NaN; determined(c) says which.
  EstimateStatus estimate(const double* q, const double* v, const double* y, double* out) noexcept;

  /// One sample for prepare().
  struct Inputs {
    const double *q, *v, *y;  // as estimate() takes them; read by prepare() alone
  };
  /// For logs: computes up to Batch::lanes samples together (options.in_batches), each in a lane of the processor's vectors;
  /// take() then answers for each of them. Samples with gaps, and those that need refinement or another plan, are computed
  /// alone when they are taken. Without options.in_batches nothing is prepared, and of more samples than Batch::lanes only so
  /// many; take() of a sample that was not prepared finds LUState::no_sample and writes nothing. Heap-free as estimate() is.
  void prepare(const Inputs* samples, int count) noexcept;
  /// What estimate() would answer for the k-th prepared sample, to the last bit. In any order of k.
  EstimateStatus take(int k, double* out) noexcept;

  /// The standard deviation of a row's noise; takes effect at the next estimate() or prepare(), under the same plan. row: of
  /// the system. False, and nothing is changed, where the system has no such row or the set says that it is exact (the plan
  /// then holds it exactly, and a sigma would not enter), and where sigma is not one of 1e-100 to 1e100, as in files.
  [[nodiscard]] bool set_sigma(int row, double sigma) noexcept;
  /// The same for every noisy row of the sensor of that name, or for the one row of that column (`y.SENSOR…`).
  [[nodiscard]] bool set_sigma(std::string_view sensor, double sigma) noexcept;
  /// The rows of a sensor (`motors`) or of a column (`y.motors.knee`); none where there is no such name.
  std::vector<int> rows(std::string_view name) const;
  /// Offsets to be subtracted from the readings from the next estimate() or prepare() on; their uncertainty enters deviations
  /// and innovations. Allocates. Throws std::invalid_argument where rows are not noisy ones of the system, or sizes do not fit.
  void take_off(TakenOff offsets);
  /// New values of the offsets of the last take_off(), in its order. No heap.
  void set_offsets(const double* value) noexcept;
  /// The offsets that are subtracted from the readings.
  const TakenOff& offsets() const;
  // Below, an index that does not exist throws std::out_of_range.
  /// The standard deviation of a noisy row's noise.
  double sigma(int row) const;

  // Of the last sample that was ok:
  /// All unknowns of the system.
  const double* unknowns() const;
  /// share/σ of a noisy row that is there, else 0. row: of the system.
  double weight(int row) const;
  /// The root of the share with which a reading counts: 1, or less where it was reweighted.
  double share(int row) const;
  /// (y − Y x)/σ of the same row.
  double residual(int row) const;
  /// Whether a chi-square of so many redundant rows lies above its quantile (options.false_alarm).
  bool is_outlier(double chi_square, int redundancy) const noexcept;
  /// Of a row in the last sample. One solve, no heap; with options.comparisons none in a batch, whose rows are all found by one
  /// sweep in lanes, and none after expect_comparisons().
  AgainstOthers against_others(int row) noexcept;
  /// That so many readings of the last sample are about to be compared: with options.comparisons, all of them are found by one
  /// sweep (docs/sensors.md) where that takes fewer operations than so many solves. No heap.
  void expect_comparisons(int readings) noexcept;
  /// Where the last sample's chi-square is an outlier: leaves out the reading of the largest innovation, then the next, until
  /// it is none (Baarda 1968). Returns their rows, the most suspicious first; unknowns(), residual() and
  /// weight() are then those without them, each reading that is kept at its full weight. At most most_suspects; stops before
  /// something becomes undetermined. A sweep for each with options.comparisons, else as many solves as noisy rows; no heap.
  const std::vector<int>& leave_out_suspects() noexcept;
  static constexpr int most_suspects = 12;  // readings that one sample loses at most
  /// The row whose innovation is the largest, in the last sample, or −1. A sweep with options.comparisons, else one solve a
  /// noisy row; no heap.
  int suspect() noexcept;
  /// Whether the sample determined that output (an index in output_columns()).
  bool determined(int output) const;
  /// Posterior standard deviation of each output (options.standard_deviations). One sweep.
  const std::vector<double>& standard_deviations() const;
  /// Posterior covariance of each pair (options.covariances), with all that enters deviations; NaN where the sample leaves one
  /// of the two undetermined.
  const std::vector<double>& covariances() const;
  /// The same of any pairs, in the last sample. Allocates. Throws UnknownOutput, and std::logic_error where that was not ok or
  /// there was none.
  std::vector<double> covariance(const std::vector<std::pair<std::string, std::string>>& pairs);
  /// (y_i − Y_i x) over its own standard deviation, for each row of the system: of unit variance where the noise is what the
  /// set says (Baarda 1968); 0 for rows that are exact, missing, or without redundancy. One sweep.
  const std::vector<double>& innovations() const;

  /// Derivatives of the outputs of the last sample, with the readings' weights, gaps and order as they were for it
  /// (options.derivatives); NaN for outputs that it left undetermined. Otherwise as Solver::derivatives.
  EstimateStatus derivatives(const DerivativeArrays& into, DerivativeMode mode = DerivativeMode::automatic) noexcept;
  /// The gradient of Σ weight[c] output c, as Solver::gradient; NaN where a weighted output is undetermined.
  EstimateStatus gradient(const double* weight, const DerivativeArrays& into) noexcept;

  /// How often each remedy was needed, since construction.
  SolverCounts counts() const;
  /// How often options.replan was asked.
  long replanned() const;
  /// The status in words, with names.
  std::string describe(const EstimateStatus& status) const;

  /// The residual part (one number a row of the system) of the augmented solution for measurements e in place of y, scaled by
  /// the weights: (1 − H) W e; zeros before the first sample. For estimates over many samples.
  void project(const double* e, double* residual) noexcept;
  /// The rows (1 − H)_i of these rows i, one number a row of the system each: the covariances of their weighted residuals with
  /// all others', where every reading counts fully. 0 for rows without weight, and before the first sample. A solve each; with
  /// options.comparisons, of Batch::lanes together. No heap.
  void residual_covariances(const int* rows, int count, double* into) noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sparsedyn
