// Any sensor set in, every quantity by name out: what a robot's sensors say of its motion and its forces. Whether the set is
// solved (it determines the dynamics) or estimated (it knows more, or less) is decided here, and so are gaps in the readings,
// constant offsets, outliers and sensors that are out of order, states at which no planned order serves, batches and threads.
// Solver and Estimator (layer runtime) are there for those who want one of them.
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
#include <vector>

#include "sparsedyn/answers/solve_report.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/plan_source.hpp"
#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// What is wanted of each sample, and how it is found.
struct SensorSolverOptions {
  /// As Outputs takes them. Empty: default_outputs(), of which those are left out that the sensors do not determine.
  std::vector<std::string> outputs;
  bool deviations = false;   // a column sd.OUTPUT beside each output: its posterior standard deviation
  bool innovations = false;  // columns chi2 and innovation.COLUMN: each noisy reading against what the others predict
  bool estimate = false;     // by an Estimator even where a Solver would do
  double huber = 0;          // as EstimatorOptions::huber; sensors that are stuck or saturated are then left out
  PlanSource plans;          // where orders of elimination come from
};

/// Outputs that were asked for by name, or all that could be given, and that the sensors do not determine.
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

/// What became of one sample.
struct Answer {
  bool ok = false;                 // the results were written: NaN where the sample leaves one open
  bool partly_determined = false;  // the sample leaves open what others determine
  bool failed = true;    // not ok, or what is left open was asked for by name, or a gap is the cause: describe() says why
  bool outlier = false;  // the chi-square is one
  double backward_error = 0, componentwise_error = 0, growth = 1;  // as in SolverStatus
};

/// A reading after what the sensors' errors are known to be.
struct CorrectedReadings {
  std::vector<double> y;         // of each input: the reading less its offset, or its estimate; NaN: as the log has it
  std::vector<char> is_outlier;  // of each input
};

/// The plan, outputs and system of a SensorSolver, from which codegen/programs.hpp records a program with the same answers. It
/// is valid as long as the SensorSolver. Exactly one of the two plans is set.
struct AnswerPlan {
  const System& system;              // in the plan's formulation
  std::vector<std::string> outputs;  // as Outputs takes them
  const Plan* plan = nullptr;        // of a Solver
  bool plan_is_chosen = false;       // a stored one: no leaner formulation will do
  const EstimatorPlan* estimator_plan = nullptr;
  bool deviations = false;  // of an estimate
};

/// Samples one after the other, row by row.
struct SampleRows {
  const double* q = nullptr;  // count × nq, unit quaternions
  const double* v = nullptr;  // count × nv
  const double* y = nullptr;  // count × system().inputs().size(); NaN: missing, where takes_gaps()
  long count = 0;
};

/// A sample of a batch that has no answer, or not all of one.
struct FailedSample {
  long sample = 0;  // from 0
  std::string why;  // describe()
};

class RowAnswers;

/// One class for all sensor sets. One a thread: for_another_thread().
class SensorSolver {
 public:
  /// System and options' plans are shared. `system`: newton-euler; a stored plan may bring another formulation. Throws
  /// UnknownOutput, UndeterminedOutputs, OutputNotInPlan, RedundantExactRows; NoPlan where a search would be needed and
  /// options.plans has none; of a stored plan PlanMismatch, FormulationMisfit, InputError. All memory is taken here. Cost: that
  /// of the plan's health (704 solves), or of the search.
  explicit SensorSolver(std::shared_ptr<const System> system, SensorSolverOptions options = {});
  /// The same from a robot and its set; throws what System throws, too.
  SensorSolver(const Model& model, const SensorSet& sensors, SensorSolverOptions options = {});
  ~SensorSolver();
  SensorSolver(SensorSolver&&) noexcept;             // what is moved from may only be assigned to or destroyed
  SensorSolver& operator=(SensorSolver&&) noexcept;  // likewise

  /// The same for another thread: with the plan in common, deviations as they were set, and the offsets learnt so far. Cost:
  /// memory, no planning.
  SensorSolver for_another_thread() const;

  /// The system whose inputs it reads.
  const System& system() const;
  /// The same, to be shared.
  const std::shared_ptr<const System>& shared_system() const;
  /// What it was asked for.
  const SensorSolverOptions& options() const;
  /// The names of the results: outputs, then sd.OUTPUT, chi2, innovation.COLUMN where they are asked for.
  const std::vector<std::string>& columns() const;
  /// How many of columns() are quantities of the robot: the first ones.
  std::size_t outputs() const;
  /// Whether an Estimator answers: a NaN in y is then a gap in that reading.
  bool takes_gaps() const;

  /// q (nq, unit quaternions), v (nv), y (system().inputs()) → out (columns()); nothing is written unless the answer is ok.
  /// Heap-free, except at states that no planned order serves, for the first sample with a pattern of gaps, and where a plan
  /// for gaps is searched.
  Answer solve(const double* q, const double* v, const double* y, double* out) noexcept;
  /// Of the last sample: what went wrong, or was left open; empty: nothing.
  std::string describe() const;

  /// Many samples → out (count × columns()), those without an answer NaN; says which failed, in order. Offsets of the set are
  /// learnt from these samples first, unless they are known. threads: 0 takes one a core; where the samples are judged in their
  /// order (offsets, options.huber) one thread does all. The results are the same, to the last bit, for any number of threads.
  std::vector<FailedSample> solve_batch(const SampleRows& samples, double* out, int threads = 1);

  /// The standard deviation of a row's noise, from the next sample on; false where the row has none, as Estimator::set_sigma.
  bool set_sigma(int row, double sigma) noexcept;

  /// What happened since construction, by this solver (not by those for other threads, nor by those of a batch). Allocates.
  SolveReport report() const;
  /// What the log calls the column of each input (empty: nothing), for report().
  void name_columns(const std::vector<std::string>& read_from);

  // Logs, sample by sample in their order:
  //
  //   while (solver.learning()) {
  //     solver.begin_pass();
  //     while (more samples && solver.learn(next samples)) ;
  //     solver.end_pass();
  //   }
  //   for each batch: solver.expect(samples); for each of them: solver.solve(…);

  /// How many samples are best announced at once.
  std::size_t batch() const;
  /// The samples (q, v, y, one after the other in each) that solve() is called for next, in this order; at most batch().
  void expect(const std::vector<const double*>& samples) noexcept;
  /// What the caller calls the next sample, in report().
  void at_line(long line) noexcept;

  /// Whether the log has to be gone through once more before its samples are solved.
  bool learning() const;
  /// A pass begins, with the first sample.
  void begin_pass();
  /// The next samples, as expect() takes them. False: this pass needs no more of them.
  bool learn(const std::vector<const double*>& samples) noexcept;
  /// The pass is over.
  void end_pass();
  /// What learn() gathered in this pass, as numbers that add up over parts of a log; and the end of learning with such a sum.
  std::vector<double> learnt() const;
  void settle(const std::vector<double>& learnt);  // throws as LogEstimator::settle does

  /// Of the last sample, where it was ok; its estimate may not be asked for anything else afterwards. Null: readings are not
  /// judged. Allocates.
  const CorrectedReadings* corrected(const double* q, const double* v, const double* y);

  /// None where samples need more than a program gives.
  std::optional<AnswerPlan> plan() const;
  /// Counts a sample that the recorded program has answered. `more`: its outputs beyond columns(). False: the sample is for
  /// solve().
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
