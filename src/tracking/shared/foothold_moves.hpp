// How far a foothold moves in an interval, m²: of its walk, and of ground that gives.
//
// A foot that lands sinks and scrubs by some millimetres, soon less and less. One that is relieved rises again with the ground,
// along the ground's normal, while friction holds it in its place. The normal is not known: along the vertical it counts in
// full, level by what a slope of 30° makes of it; in full, too, where so little of its load is left that it may slide. All that
// goes the same way at each step, so a white walk that is as large as that would be needed to stay honest.
#pragma once

#include <algorithm>
#include <cmath>

#include "tracking/shared/touch.hpp"

namespace sparsedyn::tracking {

constexpr double swing_of_foothold = 30;  // m/√s in the air
constexpr double ground_gives = 0.004;    // m, under a foot that lands, and
constexpr double giving_time = 0.02;      // s, in which it does
constexpr double on_a_slope = 0.25;       // sin² 30°

struct FootholdMoves {
  double level, upright;  // along each horizontal axis, and along the vertical
};

/// In an interval of dt (s), at whose end `touch` is. walk: of a foothold that stands, m/√s; gap: nothing is known of the
/// interval.
inline FootholdMoves foothold_moves(const Touch& touch, double walk, double dt, bool gap) noexcept {
  const double g = gap ? 0 : touch.standing(), walks = g * walk + (1 - g) * swing_of_foothold;
  const double gives = g * ground_gives * ground_gives, rises = dt / giving_time;
  const double sinks = std::exp((dt - touch.stood()) / giving_time) - std::exp(-touch.stood() / giving_time);
  const double upright = touch.unloads() ? rises : sinks;
  const double level = touch.unloads() && !touch.may_slide() ? std::max(sinks, on_a_slope * rises) : upright;
  return {walks * walks * dt + gives * level, walks * walks * dt + gives * upright};
}

}  // namespace sparsedyn::tracking
