// What is known of one contact over the last rows: its flag, and what the dynamics felt of it.
//
// Two gates: a foothold counts where the foot stood through an interval, a force may be where it touched at either end. A flag
// that comes a row late would force what lands before it into the leg. So in the air a force is open as well until the interval
// is over, and only then said to be zero, unless it is there beyond doubt: then the foot touched, and is taken to stand from
// that interval's end if the flag follows.
#pragma once

#include <algorithm>

namespace sparsedyn::tracking {

class Touch {
 public:
  /// It has stood for as long as one knows, or not.
  void begin(double flag) noexcept {
    now_ = before_ = believed_ = believed_before_ = flag;
    felt_ = false, load_share_ = 1;
    usual_load_ = missed_ = 0;
    held_ = flag > 0.5 ? long_ago : 0;
    stood_ = settled_ = flag > 0.5 ? long_ago : 0;
  }
  /// An interval of dt (s), with the flags at both ends. to_come: the one at its end is not in yet; the foothold is let go, but
  /// the foot is believed to be where the last flag said.
  void pass(double flag_before, double flag, double dt, bool to_come) noexcept {
    before_ = felt_ ? 1 : flag_before, now_ = flag;
    believed_before_ = felt_ ? 1 : believed_;
    if (!to_come) believed_ = flag;
    felt_ = false;
    settled_ = stood_;
    held_ = standing() > 0.5 ? held_ + dt : 0;
    stood_ = believed_before_ * believed_ > 0.5 ? stood_ + dt : 0;
  }
  /// The interval of dt (s) that ends now carried so much (N). Whether that falls is judged beside the mean since it landed, or
  /// of the last tenth of a second.
  void carry(double load, double dt) noexcept {
    if (standing() <= 0.5) usual_load_ = 0;
    if (held_ > 0) usual_load_ += std::min(1.0, std::max(dt / usual_time, dt / held_)) * (load - usual_load_);
    load_share_ = usual_load_ > 0 ? load / usual_load_ : 1;
  }
  /// Whether it misses its place now, for dt (s) more; s for which it has without end.
  double miss(bool misses, double dt) noexcept { return missed_ = misses ? missed_ + dt : 0; }
  /// s through which its foothold has stood at the interval's end.
  double stood() const noexcept { return held_; }
  /// Whether it carries less than it did.
  bool unloads() const noexcept { return load_share_ < falling_share; }
  /// Whether it carries so little of that that friction may not hold it.
  bool may_slide() const noexcept { return load_share_ < sliding_share; }

  /// The interval that ends now had a force, whatever the flags say.
  void feel() noexcept { felt_ = true; }

  /// 0 to 1: its foothold stood through the interval.
  double standing() const noexcept { return before_ * now_; }
  /// Likewise: it touched at an end of the interval.
  double touched() const noexcept { return std::max(believed_before_, believed_); }
  /// Likewise: it stood through the interval, and had done so for longer than `time` (s) when that began.
  double still(double time) const noexcept { return settled_ > time ? believed_before_ * believed_ : 0; }

 private:
  static constexpr double long_ago = 1e9;
  static constexpr double usual_time = 0.1, falling_share = 0.9, sliding_share = 0.5;  // s; of the usual load
  double before_ = 1, now_ = 1, believed_ = 1, believed_before_ = 1, stood_ = long_ago, settled_ = long_ago, held_ = long_ago,
         usual_load_ = 0, missed_ = 0, load_share_ = 1;
  bool felt_ = false;
};

}  // namespace sparsedyn::tracking
