// The time from one sample of a log to the next.
#pragma once

namespace sparsedyn::tracking {

/// Of the stamps of samples that count.
class StampedTime {
 public:
  bool is_started() const { return started_; }
  double since_last(double time) const { return time - last_; }

  /// Whether that stamp lies beyond many intervals as they usually are: after a gap, or it is wrong.
  bool is_far_ahead(double time) const { return started_ && count_ >= counted && since_last(time) > far_ahead * usual_; }

  /// The sample at that time counts.
  void take(double time) {
    if (const double dt = since_last(time); started_ && dt > 0 && !is_far_ahead(time))
      usual_ += (dt - usual_) / static_cast<double>(++count_);
    started_ = true, last_ = time;
  }

 private:
  static constexpr double far_ahead = 20;  // usual intervals
  static constexpr long counted = 10;      // intervals, before that none is usual
  bool started_ = false;
  double last_ = 0, usual_ = 0;
  long count_ = 0;
};

}  // namespace sparsedyn::tracking
