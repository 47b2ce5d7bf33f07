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

#include "sparsedyn/logs/reading_faults.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "sparsedyn/runtime/sensor_offsets.hpp"

namespace sparsedyn {

/// A log's estimator. Use one object for each thread.
class LogEstimator {
 public:
  /// options.in_batches is assumed. With options.huber, stuck and saturated readings are left out from the row at which they
  /// are found; in a log that is read more than once, from the row at which they began. Throws the exceptions of Estimator's
  /// constructor.
  LogEstimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan, EstimatorOptions options);

  /// The estimator; it subtracts offsets after learning is over.
  Estimator& estimator() { return estimator_; }
  const Estimator& estimator() const { return estimator_; }  // likewise, to be read

  /// Whether another pass over the log is needed before estimation: one pass for offsets; with huber, short passes for a good
  /// start and then passes until the offsets have settled.
  bool learning() const { return stage_ != Stage::ready; }
  /// Begins the next pass, with the first sample.
  void begin();
  /// The next samples, at most Batch::lanes. False if this pass needs no more samples. If the plan's order is not accurate for
  /// a sample, estimate_at_state() is used, with huber by reweighting there, which takes memory and time. A sample without an
  /// answer is skipped (samples_passed_over()).
  bool learn(const Estimator::Inputs* samples, int count) noexcept;
  /// Ends the pass.
  void end();

  /// The sums for the offsets from the samples since begin(), as numbers that can be added over parts of a log, logs and
  /// machines, if outliers are not bounded (options.huber): samples learnt, then SensorOffsets::sums().
  std::vector<double> learnt() const;
  /// Ends learning with such sums instead of its own. Throws std::logic_error with options.huber, whose passes depend on each
  /// other, and std::invalid_argument for numbers of another set.
  void settle(const std::vector<double>& learnt);

  /// Takes over what another estimator of the same system has learnt, so that threads can share a log.
  void adopt_offsets(const LogEstimator& other);

  /// As Estimator::prepare: at most Batch::lanes samples, in the order of the log.
  void prepare(const Estimator::Inputs* samples, int count) noexcept;
  /// As Estimator::take, in the order of the log. `line`: the caller's name of this sample.
  EstimateStatus take(int k, long line, double* out) noexcept;

  /// The next sample alone.
  EstimateStatus estimate(const Estimator::Inputs& sample, long line, double* out) noexcept;
  /// Reads the next sample without an estimate. True: the readings should be tested, by estimate() of the same sample.
  bool glance(const double* y) noexcept;
  /// estimate() is not called for the sample that was glanced at.
  void pass_over() noexcept { glanced_ = false; }

  /// One name for each offset, as SensorOffsets gives them; empty if no sensor has one.
  const std::vector<std::string>& offset_names() const { return offsets_.names(); }
  /// The offsets, once learning is over.
  const LearntOffsets& offsets() const { return found_; }
  /// Passes that were needed to learn them, and the samples used.
  int passes() const { return passes_; }
  long samples_learnt() const { return learnt_; }            // in the last of these passes
  long samples_passed_over() const { return passed_over_; }  // likewise, samples without an estimate to learn from
  /// The faults of the sensors in the samples taken so far.
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
  LearntOffsets found_;
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
