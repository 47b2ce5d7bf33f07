// What an IMU on a robot reads. Beyond that a reading is none, or it is doubtful.
#pragma once

namespace sparsedyn::tracking {

constexpr double most_turn = 100, most_push = 2000;  // rad/s, m/s²: what no sensor on a robot reads
constexpr double rate_change = 100;                  // rad/s², deviation of a base's angular acceleration over an interval
constexpr double most_change = 10;                   // deviations of what a mean rate may change from row to row

}  // namespace sparsedyn::tracking
