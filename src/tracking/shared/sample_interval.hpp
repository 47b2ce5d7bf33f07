// Which intervals between samples are gaps.
#pragma once

#include <algorithm>

namespace sparsedyn::tracking {

/// Learns the typical interval, a mean that forgets.
class SampleInterval {
 public:
  void forget() noexcept { typical_ = 0; }
  /// Takes the next interval (s, > 0). True for a gap: longer than ten typical ones and than 0.1 s.
  bool take(double dt) noexcept {
    const bool gap = is_gap(dt);
    if (!gap) typical_ = typical_ > 0 ? typical_ + 0.1 * (dt - typical_) : dt;
    return gap;
  }
  /// A gap so long (1 s) that no base is carried over it.
  bool is_break(double dt) const noexcept { return is_gap(dt) && dt > 1; }

 private:
  bool is_gap(double dt) const noexcept { return typical_ > 0 && dt > std::max(0.1, 10 * typical_); }

  double typical_ = 0;
};

}  // namespace sparsedyn::tracking
