// An accelerometer's reading that leaps: a spike of the sensor, or an impact on the robot.
//
// Where only the IMU moves the base nothing tells which. The reading stays, and by as much as it leaps it may be off: of either
// the velocity is then known to within one deviation, and feet tell the rest. What goes on for longer than a spike lasts
// counts.
#pragma once

#include "sparsedyn/spatial/vec3.hpp"
#include "tracking/shared/imu_limits.hpp"
#include "tracking/shared/reading_doubt.hpp"

namespace sparsedyn::tracking {

constexpr double push_change = 2;  // m/s², deviation of a base's acceleration from row to row

/// Of one accelerometer's readings.
class PushLeap {
 public:
  struct Found {
    double square = 0;    // of the leap (m/s²)²; 0: there is none
    double variance = 0;  // of what a leap is judged beside
  };
  /// Of a row's reading, of an interval of dt (s); variance: of an axis.
  Found find(const Vector3& push, double variance, double dt) noexcept {
    const Vector3 change = push - last_;
    const double square = dot(change, change), beside = push_change * push_change + 2 * variance;
    if (doubt_.passes_over(square > most_change * most_change * beside, dt)) return {square, beside};
    last_ = push;
    return {};
  }

 private:
  Vector3 last_ = zero3<double>();  // reading that counted
  ReadingDoubt doubt_;
};

}  // namespace sparsedyn::tracking
