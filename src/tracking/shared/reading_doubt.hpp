// Readings of joints that are so far off that they are none.
#pragma once

#include <algorithm>

namespace sparsedyn::tracking {

constexpr double spike = 1e4;           // square of an innovation beside its variance: the reading is none
constexpr double longest_spike = 0.02;  // s, through which such readings are passed over; one row at least
constexpr double first_doubt = 0.1;     // s, after that and at the start, through which the estimate may be what is wrong

/// Of an innovation and its variance.
inline bool is_spike(double innovation, double variance) noexcept { return innovation * innovation > spike * variance; }

/// Of one sensor's readings.
struct ReadingDoubt {
  double far_for = 0, left = first_doubt;  // s for which they have been far off, and s through which they count all the same
  double agreed = first_doubt;             // s since they were far off

  /// Whether the reading at the end of an interval of dt (s) is passed over; far: it is a spike. Where readings stay far off
  /// for longer than `longest` (s), and for a tenth of a second after that and at the start, the estimate may be what is wrong,
  /// and all of them count. The first of them is passed over, however long dt is.
  bool passes_over(bool far, double dt, double longest = longest_spike) noexcept {
    const bool stays = far && far_for > 0;
    agreed = far ? 0 : agreed + dt;
    far_for = far ? far_for + dt : 0;
    left = far && (left > 0 || (stays && far_for > longest)) ? first_doubt : std::max(0.0, left - dt);
    return far && left <= 0;
  }
};

}  // namespace sparsedyn::tracking
