// Sensors that are out of order, found along a log by comparing each reading with what the others predict for it.
//
//   stuck      the reading repeats itself, which its history makes unlikely, while what the others predict for it moves
//   saturated  it stands at the largest (smallest) value that it ever had, and the others predict beyond
//   sign       it is the negative of what the others predict
//   spikes     single readings far from what the others predict
//
// A reading that nothing else predicts is not judged.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {

enum class FaultKind { stuck, saturated, sign, spikes };
/// "stuck", …
const char* fault_name(FaultKind kind);

/// A sensor's fault. Lines are what the caller numbered the samples by.
struct ReadingFault {
  int row;         // of the system
  FaultKind kind;  // what is wrong
  long from_line;  // of the first sample that shows it
  long samples;    // in which it was seen
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
  static constexpr int lanes = Batch::lanes;

  /// leave_out: readings that are stuck or saturated become gaps from where that is found until they change.
  ReadingFaults(const System& system, bool leave_out);

  /// The next sample's y (inputs; NaN: a gap), kept as the k-th of at most `lanes` that are read before they are judged.
  void read(int k, const double* y) noexcept;
  /// The k-th sample's y without the readings that are left out.
  const double* screened(int k) const noexcept { return samples_[static_cast<std::size_t>(k)].screened.data(); }
  /// Whether one of the k-th sample's readings stands still, or at an extreme: it should be estimated and judged.
  bool looks_closer(int k) const noexcept;
  /// After the estimator's estimate of the k-th sample. As many solves as readings are looked at: all of a few samples', and of
  /// outliers; those that stand still. `line`: the caller's number of the sample.
  void judge(int k, Estimator& estimator, const EstimateStatus& status, long line) noexcept;

  /// Samples whose chi-square is an outlier, and the ten worst, worst first.
  long outliers() const { return outliers_; }
  std::vector<OutlierSample> worst() const;
  /// Of sensors, in the order of their rows.
  std::vector<ReadingFault> faults() const;
  /// Rows that disagree most in a large part of all samples, and in how many: not a fault of the kinds above, but of an offset,
  /// a stated deviation, or the model.
  std::vector<std::pair<int, long>> often_off() const;
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
    int row, input;
    bool has_unit_gain;  // the row's right-hand side is the reading
    long count = 0, repeats = 0;
    double last = 0;
    int run = 0;                                      // samples of the same value
    double chance = 0;                                // ln of the probability of one more repetition, when the run began
    long run_start = 0, run_line = 0, next_look = 0;  // run_start: its first sample, as read() counts
    long judged = 0;                                  // in the run
    double mean = 0, squares = 0;
    bool is_out = false;  // for now
    Extreme high, low;
    long sampled = 0;
    double as_it_is = 0, negated = 0;  // squares of the difference from the prediction
    long off = 0, spiky = 0, first_spike = 0;
    bool stuck = false, saturated = false;
    long stuck_line = 0, saturated_line = 0, stuck_samples = 0, saturated_samples = 0;
  };
  struct Sample {
    std::vector<double> y, screened;
    std::vector<int> run;  // of each reading
    long number = 0;
    bool is_sampled = false;
  };
  bool stands_out(const Reading& reading, const Sample& sample, std::size_t i) const noexcept;
  void look(Reading& reading, const Sample& sample, std::size_t i, Estimator& estimator, long line) noexcept;
  static bool is_beyond(const Extreme& extreme) noexcept;
  void look_at_run(Reading& reading, double innovation, long line, int run) noexcept;
  void look_at_extreme(Reading& reading, Extreme& extreme, double beyond, long line) noexcept;
  void note_outlier(Estimator& estimator, double chi_square, long line) noexcept;

  bool leave_out_;
  std::vector<Reading> readings_;
  std::vector<int> reading_of_row_;
  std::vector<Sample> samples_;
  long first_line_ = -1, read_ = 0, next_sampled_ = 0, stride_ = 1, sampled_ = 0, outliers_ = 0, attributed_ = 0;
  OutlierSample worst_[10] = {};
  int kept_ = 0;
};

}  // namespace sparsedyn
