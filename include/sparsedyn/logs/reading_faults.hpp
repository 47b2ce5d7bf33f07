// Faulty sensors, found along a log by comparing each reading with its prediction from the others.
//
//   stuck      the reading repeats itself, which its history makes unlikely, while what the others predict for it moves
//   saturated  it stays at the largest (smallest) value of the log, and the others predict beyond that value
//   sign       it is the negative of what the others predict
//   spikes     single readings far from what the others predict
//   drift      its difference from the prediction changes slowly (slow_change.hpp)
//
// A reading that no other reading predicts is not judged.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/logs/agreement.hpp"
#include "sparsedyn/logs/detail/slow_change.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

/// What can be wrong with a reading.
enum class FaultKind { stuck, saturated, sign, spikes, drift };
/// "stuck", …
const char* fault_name(FaultKind kind);

/// A sensor's fault. Lines are what the caller numbered the samples by.
struct ReadingFault {
  int row;                        // of the system
  FaultKind kind;                 // what is wrong
  long from_line;                 // of the first sample that shows it
  long samples;                   // in which it was seen
  double change = 0;              // drift: of the reading over the log, in its unit
  std::vector<int> or_else = {};  // drift: rows that would show the same, and one of which may be the one at fault
};

/// What the innovations of a sensor say of the noise that it states, over the samples in which all readings are looked at;
/// where readings are left out (robust) without outlying samples, which are named and bounded. Those of its components in one
/// sample may follow each other.
struct SensorNoise {
  int sensor;                  // of the set
  ChiSquare innovations;       // squares; expected: how many
  std::optional<bool> agrees;  // trusted(), of the sensor (its components as if they all were one) and of each component
  std::vector<int> rejected;   // rows that are not
};

/// Samples in which a reading was stuck, numbered as they were read, from 0.
struct StuckStretch {
  int row;       // of the system
  long first;    // the first that has the value
  double value;  // that it repeats
};

/// A sample whose chi-square is an outlier.
struct OutlierSample {
  long line;          // as the caller numbered it
  int row;            // whose reading disagrees most with the others', or −1
  double chi_square;  // of the sample
};

/// Reads every sample in order, then judges it once it is estimated. Takes its memory at construction; noexcept, no heap.
class ReadingFaults {
 public:
  static constexpr int lanes = Batch::lanes;  // samples that are read before they are judged, at most

  /// The stretches that are remembered; those beyond are left out from where they are found alone.
  static constexpr std::size_t most_stretches = 256;

  /// leave_out: readings that are stuck or saturated become gaps from where that is found until they change. `known`: stretches
  /// that an earlier pass over the same log found, by their first samples: these are gaps from there on.
  ReadingFaults(const System& system, bool leave_out, const std::vector<StuckStretch>& known = {});

  /// The next sample's y (inputs; NaN: a gap), kept as the k-th of at most `lanes` that are read before they are judged.
  /// `sparsely`: samples cost more to judge than to read, so that fewer are looked at.
  void read(int k, const double* y, bool sparsely = false) noexcept;
  /// The k-th sample's y without the readings that are left out.
  const double* screened(int k) const noexcept { return samples_[static_cast<std::size_t>(k)].screened.data(); }
  /// Whether all of the k-th sample's readings are to be looked at, or one of them stands still, or at an extreme: it should be
  /// estimated and judged.
  bool looks_closer(int k) const noexcept;
  /// After the estimator's estimate of the k-th sample. As many solves as readings are looked at: all of a few samples', and of
  /// outliers; those that stand still. `line`: the caller's number of the sample.
  void judge(int k, Estimator& estimator, const EstimateStatus& status, long line) noexcept;

  /// Samples whose chi-square is an outlier.
  long outliers() const { return outliers_; }
  /// The ten worst of them, worst first.
  std::vector<OutlierSample> worst() const;
  /// Of sensors, in the order of their rows.
  std::vector<ReadingFault> faults() const;
  /// Those known and those found, by their first samples: for the next pass over the same log.
  std::vector<StuckStretch> stretches() const;
  /// Rows that disagree most in a large part of all samples, or in stretches of them, and in how many: not a fault of the kinds
  /// above, but of an offset, a stated deviation, or the model.
  std::vector<std::pair<int, long>> often_off() const;
  /// Of sensors with noisy readings, in their order.
  std::vector<SensorNoise> noise() const;
  /// Rows that are left out of the k-th sample.
  std::vector<int> left_out(int k) const;

 private:
  /// Evidence that the others predict beyond an extreme.
  struct Extreme {
    double value = 0;
    long judged = 0, inward = 0, first_line = 0;
    double mean = 0, squares = 0;  // of how far beyond, in deviations; squares about the mean
  };
  struct Reading {
    int row, input, sensor;
    bool has_unit_gain;  // the row's right-hand side is the reading
    long count = 0, repeats = 0;
    double last = 0;
    int run = 0;                                      // samples of the same value
    double chance = 0;                                // ln of the probability of one more repetition, when the run began
    long run_start = 0, run_line = 0, next_look = 0;  // run_start: its first sample, as read() counts
    long judged = 0;                                  // in the run
    double mean = 0, squares = 0;
    bool is_out = false;    // for now
    bool is_known = false;  // as stuck, before it is judged
    Extreme high, low;
    long sampled = 0;
    double as_it_is = 0, negated = 0;  // squares of the difference from the prediction
    double uncertainty = 0;            // sum of that difference's deviations, in the reading's unit
    long off = 0, spiky = 0, first_spike = 0;
    long last_spike = -2, in_sequence = 0;  // samples; those that follow another spike at once
    bool stuck = false, saturated = false;
    long stuck_line = 0, saturated_line = 0, stuck_samples = 0, saturated_samples = 0;
  };
  struct Sample {
    std::vector<double> y, screened;
    std::vector<int> run;       // of each reading
    std::vector<char> was_out;  // stuck or saturated, when it was read
    long number = 0;
    bool is_sampled = false, is_correlated = false;
  };
  bool stands_out(const Reading& reading, const Sample& sample, std::size_t i) const noexcept;
  void look(Reading& reading, const Sample& sample, std::size_t i, Estimator& estimator, long line) noexcept;
  /// Whether a stretch that is known begins with this sample.
  bool begins_known(const Reading& reading) noexcept;
  static bool is_beyond(const Extreme& extreme) noexcept;
  void look_at_run(Reading& reading, double off, long line, int run) noexcept;
  void look_at_extreme(Reading& reading, Extreme& extreme, double beyond, long line) noexcept;
  void note_outlier(const Sample& sample, Estimator& estimator, double chi_square, long line) noexcept;
  /// Whether it is far off in stretches of the log, which are no spikes.
  static bool stays_off(const Reading& reading) noexcept;
  void correlate(Estimator& estimator) noexcept;
  std::vector<ReadingFault> drifts(const std::vector<ReadingFault>& known) const;

  bool leave_out_;
  std::vector<Reading> readings_;
  std::vector<int> reading_of_row_;
  std::vector<Sample> samples_;
  long first_line_ = -1, read_ = 0, next_sampled_ = 0, stride_ = 1, sampled_ = 0, outliers_ = 0, attributed_ = 0;
  bool counts_ = true;                       // the sample that is judged, for its sensors' noise
  SlowChanges slow_;                         // of each reading's innovation
  std::vector<double> answer_, covariance_;  // of all residuals to some readings; of the residuals
  OutlierSample worst_[10] = {};
  int kept_ = 0;
  std::vector<StuckStretch> known_, found_;
  std::size_t next_known_ = 0;
};

}  // namespace sparsedyn
