// Any sensor set in, every quantity by name out: the motion and the forces of a robot from the readings of its sensors. This
// class decides whether the set is solved (it determines the dynamics exactly) or estimated (it determines more, or less). It
// handles gaps in the readings, constant offsets, outliers and faulty sensors, states at which no planned order is accurate,
// batches and threads. Use Solver or Estimator (layer runtime) directly for one of the two cases.
//
//   SensorSolverOptions options;
//   options.plans = searched_plans();  // planning/search.hpp; without it: plans that ship, and the recursive orders
//   SensorSolver solver(load_urdf("arm.urdf"), load_sensor_set("sensors.json"), options);
//   std::vector<double> out(solver.columns().size());
//   Answer answer = solver.solve(q, v, y, out.data());
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/answers/solve_report.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/plan_source.hpp"
#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The outputs that are wanted for each sample, and how they are computed.
struct SensorSolverOptions {
  /// As Outputs takes them. Empty: default_outputs(), without those that the sensors do not determine.
  std::vector<std::string> outputs;
  /// Add a column sd.OUTPUT for each output: its posterior standard deviation; and cov.A|B for each pair that the set names.
  bool deviations = false;
  bool innovations = false;  // add columns chi2 and innovation.COLUMN: each noisy reading minus its prediction
  bool estimate = false;     // use an Estimator even if a Solver would do
  double huber = 0;          // as EstimatorOptions::huber; readings that are stuck or saturated are then left out
  PlanSource plans;          // where orders of elimination come from
};

/// The sensors do not determine outputs that were asked for by name, or any output at all.
struct UndeterminedOutputs : std::runtime_error {
  /// what() says so. asked: by name.
  UndeterminedOutputs(const std::string& what, std::vector<std::string> open, bool asked);
  std::vector<std::string> outputs;  // columns
  bool by_name;                      // they were asked for by name
};

/// An output of the robot that the stored plan's formulation does not compute.
struct OutputNotInPlan : UnknownOutput {
  using UnknownOutput::UnknownOutput;
};

/// The result of one sample.
struct Answer {
  bool ok = false;                 // results were written; NaN for outputs that the sample does not determine
  bool partly_determined = false;  // the sample does not determine outputs that other samples determine
  bool failed = true;    // not ok, or an undetermined output was asked for by name or is due to a gap: describe() says why
  bool outlier = false;  // chi-square is beyond its quantile
  double backward_error = 0, componentwise_error = 0, growth = 1;  // as in SolverStatus
};

/// A reading, corrected by the known errors of the sensors.
struct CorrectedReadings {
  std::vector<double> y;         // of each input: the reading minus its offset, or its estimate; NaN: unchanged
  std::vector<char> is_outlier;  // of each input
};

/// The plan, outputs and system of a SensorSolver, from which codegen/programs.hpp records a program with the same answers. It
/// is valid as long as the SensorSolver. Exactly one of the two plans is set.
struct AnswerPlan {
  const System& system;              // in the plan's formulation
  std::vector<std::string> outputs;  // as Outputs takes them
  const Plan* plan = nullptr;        // of a Solver
  bool plan_is_chosen = false;       // a stored plan, whose formulation must be kept
  const EstimatorPlan* estimator_plan = nullptr;
  bool deviations = false, innovations = false;  // of an estimate
};

/// Several samples, stored row by row.
struct SampleRows {
  const double* q = nullptr;  // count × nq, unit quaternions
  const double* v = nullptr;  // count × nv
  const double* y = nullptr;  // count × system().inputs().size(); NaN: missing, where takes_gaps()
  long count = 0;
};

/// A sample of a batch without an answer, or with a partial one.
struct FailedSample {
  long sample = 0;  // from 0
  std::string why;  // describe()
};

class RowAnswers;

/// One class for all sensor sets. Use one object for each thread: for_another_thread().
class SensorSolver {
 public:
  /// Shares the system and the options' plans. `system`: newton-euler; a stored plan may use another formulation. Throws
  /// UnknownOutput, UndeterminedOutputs, OutputNotInPlan, RedundantExactRows; NoPlan if a search is needed and options.plans
  /// has none; for a stored plan PlanMismatch, FormulationMisfit, InputError. All memory is allocated here. Cost: sampling the
  /// plan's health (704 solves), or the search.
  explicit SensorSolver(std::shared_ptr<const System> system, SensorSolverOptions options = {});
  /// The same from a robot and its set; also throws the exceptions of System.
  SensorSolver(const Model& model, const SensorSet& sensors, SensorSolverOptions options = {});
  ~SensorSolver();
  SensorSolver(SensorSolver&&) noexcept;             // a moved-from object may only be assigned to or destroyed
  SensorSolver& operator=(SensorSolver&&) noexcept;  // likewise

  /// A solver for another thread, with the same plan, the deviations set so far and the offsets learnt so far. Cost: memory, no
  /// planning.
  SensorSolver for_another_thread() const;

  /// The system that defines the inputs.
  const System& system() const;
  /// The same, to be shared.
  const std::shared_ptr<const System>& shared_system() const;
  /// The options of the constructor.
  const SensorSolverOptions& options() const;
  /// The names of the results: outputs, then sd.OUTPUT, cov.A|B, chi2, innovation.COLUMN where they are asked for.
  const std::vector<std::string>& columns() const;
  /// How many of columns(), the first ones, are quantities of the robot.
  std::size_t outputs() const;
  /// Whether an Estimator is used: a NaN in y is then a missing reading.
  bool takes_gaps() const;

  /// q (nq, unit quaternions), v (nv), y (system().inputs()) → out (columns()). Nothing is written unless the answer is ok.
  /// Heap-free, except at states at which no planned order is accurate, for the first sample with a new pattern of gaps, and
  /// when a plan for gaps is searched.
  Answer solve(const double* q, const double* v, const double* y, double* out) noexcept;
  /// What went wrong or was undetermined in the last sample; empty: nothing.
  std::string describe() const;

  /// Many samples → out (count × columns()), NaN for samples without an answer; returns the failed ones, in order. Offsets of
  /// the set are learnt from these samples first, unless they are known. threads: 0 uses all cores. One thread is used if
  /// samples are judged in their order (offsets, options.huber). The results are the same to the last bit for any number of
  /// threads.
  std::vector<FailedSample> solve_batch(const SampleRows& samples, double* out, int threads = 1);

  /// Sets the standard deviation of a row's noise, from the next sample on; false if the row has none, as Estimator::set_sigma.
  bool set_sigma(int row, double sigma) noexcept;

  /// Counts since construction, for this solver (without solvers for other threads and those of a batch). Allocates.
  SolveReport report() const;
  /// The log's column of each input (empty: none), for report().
  void name_columns(const std::vector<std::string>& read_from);

  // Logs, sample by sample in their order:
  //
  //   while (solver.learning()) {
  //     solver.begin_pass();
  //     while (more samples && solver.learn(next samples)) ;
  //     solver.end_pass();
  //   }
  //   for each batch: solver.expect(samples); for each of them: solver.solve(…);

  /// The best number of samples to announce at once.
  std::size_t batch() const;
  /// Announces the samples (q, v, y, one after the other in each) of the next calls of solve(), in this order; at most batch().
  void expect(const std::vector<const double*>& samples) noexcept;
  /// The name of the next sample in report().
  void at_line(long line) noexcept;

  /// Whether another pass over the log is needed before its samples are solved.
  bool learning() const;
  /// Begins a pass, with the first sample.
  void begin_pass();
  /// The next samples, as expect() takes them. False: this pass needs no more samples.
  bool learn(const std::vector<const double*>& samples) noexcept;
  /// Ends the pass.
  void end_pass();
  /// The result of learn() in this pass, as numbers that can be added over parts of a log; settle() ends learning with the sum.
  std::vector<double> learnt() const;
  void settle(const std::vector<double>& learnt);  // throws as LogEstimator::settle does

  /// The corrections of the last sample, if it was ok; the estimate is invalid afterwards. Null if readings are not judged.
  /// Allocates.
  const CorrectedReadings* corrected(const double* q, const double* v, const double* y);

  /// Posterior covariances of pairs of outputs, each by its column, in the last sample; NaN where it leaves one of the two
  /// undetermined. A solve for each output; allocates. Throws UnknownOutput, and std::logic_error where that sample was not ok,
  /// there was none, or the sensors are solved without an estimate (options.deviations, options.estimate).
  std::vector<double> covariance(const std::vector<std::pair<std::string, std::string>>& pairs);

  /// The plan from which a program with the same answers can be recorded; none if samples need more than a program does.
  std::optional<AnswerPlan> plan() const;
  /// Counts a sample that the recorded program has answered. `more`: of an estimate chi2, then the innovations that are asked
  /// for. False: call solve() for the sample.
  bool accept(const double* y, const double* more) noexcept;

 private:
  explicit SensorSolver(std::unique_ptr<RowAnswers> rows, SensorSolverOptions options);
  std::vector<FailedSample> solve_in_order(const SampleRows& samples, long first, long count, double* out);
  void learn_from(const SampleRows& samples);

  SensorSolverOptions options_;
  std::unique_ptr<RowAnswers> rows_;
  std::vector<SensorSolver> others_;  // for the threads of batches
  std::string thrown_;                // what memory or a rank decision threw in the last sample
  bool threw_ = false;                // something did
};

}  // namespace sparsedyn
