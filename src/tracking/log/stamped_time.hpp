// The time from one sample of a log to the next.
#pragma once

namespace sparsedyn::tracking {

/// Time from sample to sample, by stamps. Where one jumps ahead and the next goes on from those before it, the one that jumped
/// was wrong: its sample was answered as after a gap, and those that follow are not refused until its time comes.
class StampedTime {
 public:
  bool is_started() const { return started_; }

  double since_last(double time) const {
    const double dt = time - last_;
    return started_ && dt <= 0 && jumped_ && time > before_jump_ ? time - before_jump_ : dt;
  }

  /// The sample at that time counts.
  void take(double time) {
    const double dt = since_last(time);
    jumped_ = started_ && count_ >= counted && dt > jump * usual_;
    if (jumped_) before_jump_ = last_;
    if (started_ && dt > 0 && !jumped_) usual_ += (dt - usual_) / static_cast<double>(++count_);
    started_ = true, last_ = time;
  }

 private:
  static constexpr double jump = 20;   // usual intervals
  static constexpr long counted = 10;  // intervals, before that none is called a jump
  bool started_ = false, jumped_ = false;
  double last_ = 0, before_jump_ = 0, usual_ = 0;
  long count_ = 0;
};

}  // namespace sparsedyn::tracking
