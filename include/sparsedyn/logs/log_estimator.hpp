// Estimates along a whole log: learns and subtracts offsets of the sensors, bounds outliers, and names faulty sensors. The
// caller reads the log; memory does not grow with its length.
//
//   LogEstimator log(system, plan, options);
//   while (log.learning()) {                   // not at all without offsets
//     log.begin();                             // … and go back to the first sample
//     while (more samples && log.learn(samples, count)) ;
//     log.end();
//   }
//   log.begin();
//   for each batch: log.prepare(samples, count); for each k: log.take(k, line, out);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/logs/detail/reading_faults.hpp"
#include "sparsedyn/runtime/detail/sensor_offsets.hpp"

namespace sparsedyn {

/// A log's estimator. One a thread.
class LogEstimator {
 public:
  /// options.in_batches is taken for granted. With options.huber, stuck and saturated readings are left out from where they are
  /// found, in a log that is gone through more than once from where they began to be stuck. Throws what Estimator's constructor
  /// throws.
  LogEstimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan, EstimatorOptions options);

  /// What estimates; its offsets are taken off once learning is over.
  Estimator& estimator() { return estimator_; }
  const Estimator& estimator() const { return estimator_; }  // likewise, to be read

  /// Whether the log has to be gone through once more before it is estimated: once for offsets; with huber from a good start,
  /// which takes short passes, until they have settled.
  bool learning() const { return stage_ != Stage::ready; }
  /// The next pass begins, with the first sample.
  void begin();
  /// The next samples, at most Batch::lanes. False where this pass needs no more of them. A sample that the plan's order does
  /// not serve is learnt from by estimate_at_state(), with huber by reweighting there, which takes memory and time; where that
  /// has no answer either it is passed over (samples_passed_over()).
  bool learn(const Estimator::Inputs* samples, int count) noexcept;
  /// The pass is over.
  void end();

  /// What the samples learnt since begin() say of the offsets: numbers that add up over parts of a log, over logs and machines,
  /// where outliers are not bounded (options.huber): samples learnt, then SensorOffsets::sums().
  std::vector<double> learnt() const;
  /// Learning is over, with such numbers in place of its own. Throws std::logic_error with options.huber, whose passes depend
  /// on each other, and std::invalid_argument for numbers of another set.
  void settle(const std::vector<double>& learnt);

  /// Takes what another has learnt, with the same system, so that logs can be shared out to threads.
  void adopt_offsets(const LogEstimator& other);

  /// As Estimator::prepare: at most Batch::lanes samples, in the order of the log.
  void prepare(const Estimator::Inputs* samples, int count) noexcept;
  /// As Estimator::take, in the order of the log. `line`: what the caller calls this sample.
  EstimateStatus take(int k, long line, double* out) noexcept;

  /// The next sample alone.
  EstimateStatus estimate(const Estimator::Inputs& sample, long line, double* out) noexcept;
  /// Reads the next sample without an estimate. True: the sensors' readings should be looked at, by estimate() of the same.
  bool glance(const double* y) noexcept;
  /// estimate() is not called for the sample that was glanced at.
  void pass_over() noexcept { glanced_ = false; }

  /// One name an offset, as SensorOffsets says; empty where no sensor has any.
  const std::vector<std::string>& offset_names() const { return offsets_.names(); }
  /// The offsets, once learning is over.
  const SensorOffsets::Result& offsets() const { return found_; }
  /// Passes that were made to learn them, and samples that they used.
  int passes() const { return passes_; }
  long samples_learnt() const { return learnt_; }            // in the last of these passes
  long samples_passed_over() const { return passed_over_; }  // likewise, for no estimate of them can be learnt from
  /// What is wrong with the sensors, from the samples taken so far.
  const ReadingFaults& faults() const { return *faults_; }

 private:
  enum class Stage { start, whole, ready };
  void screen(const Estimator::Inputs* samples, int count) noexcept;
  bool learn_at_state(const Estimator::Inputs& sample, const EstimateStatus& status) noexcept;
  double reweigh_at_state(const Estimator::Inputs& sample, const StateEstimate& found, std::vector<double>& share) const;

  Stage stage_;
  bool robust_;
  double huber_;
  Estimator estimator_;
  std::unique_ptr<Estimator> learner_;  // with offsets
  SensorOffsets offsets_;
  SensorOffsets::Result found_;
  std::unique_ptr<ReadingFaults> faults_;
  std::vector<StuckStretch> stuck_;  // as the last pass over the whole log found
  std::vector<Estimator::Inputs> screened_;
  std::vector<double> nothing_;     // the learner's outputs
  std::unique_ptr<Outputs> least_;  // likewise, of an estimate at a state
  long learnt_ = 0, passed_over_ = 0;
  int passes_ = 0, passes_in_stage_ = 0;
  bool glanced_ = false;
};

}  // namespace sparsedyn
