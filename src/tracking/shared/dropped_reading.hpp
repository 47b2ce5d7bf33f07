// A gyroscope or an accelerometer that reads exactly zero in all three axes: no reading of a robot that moved in the row
// before.
//
// A packet that is dropped is often written as zeros. Noise makes no three exact zeros; a simulated log without noise does, of
// a gyroscope at rest and of an accelerometer that falls. There the readings before are zeros, too, or nearly so; where they
// are not (a robot is let go), zeros go on for longer than packets are dropped, and count after that. Passed over for so long,
// a right reading leaves wider deviations, no wrong number.
#pragma once

#include <algorithm>
#include <cmath>

#include "tracking/shared/reading_doubt.hpp"

namespace sparsedyn::tracking {

constexpr double no_zero = 25;  // square, in deviations, beyond which a reading before was not zero

/// Of one sensor's readings.
class DroppedReading {
 public:
  DroppedReading() noexcept { doubt_.left = 0; }

  /// Before the axes of a row are seen.
  void begin_row() noexcept { axes_ = zeros_ = 0, size_ = 0; }
  /// One axis; a gap says nothing.
  void see(double reading, double variance) noexcept {
    if (!std::isfinite(reading)) return;
    ++axes_, zeros_ += reading == 0;
    size_ = std::max(size_, reading * reading / variance);
  }
  /// After them: whether the row's readings, of an interval of dt (s), are none.
  bool end_row(double dt) noexcept {
    dropped_ = axes_ >= 3 && doubt_.passes_over(zeros_ == axes_ && before_ > no_zero, dt);
    if (axes_ >= 3 && !dropped_) before_ = size_;
    return dropped_;
  }
  bool dropped() const noexcept { return dropped_; }

 private:
  bool dropped_ = false;
  int axes_ = 0, zeros_ = 0;
  double size_ = 0, before_ = 0;  // square, in deviations, of the largest axis: of this row, of the last one that counted
  ReadingDoubt doubt_;
};

}  // namespace sparsedyn::tracking
