// What the filter of kinematic rows takes for granted. A step that is generated as C (codegen/tracking) is told these numbers.
#pragma once

#include "tracking/shared/imu_limits.hpp"
#include "tracking/shared/rate_inside.hpp"

namespace sparsedyn::tracking {

/// Of what a constant acceleration does to a position over dt, beside dt times what it does to the velocity; and by how much
/// that differs where the acceleration changes inside the interval.
constexpr double theta = 0.6, theta_inside = 0.04;

constexpr double joint_acceleration = 300;       // rad/s², unless the set's priors say otherwise
constexpr double swing_walk = 30;                // m/√s of a foothold in the air
constexpr double place_inside = 3e-5;            // m that velocity does inside an interval
constexpr double free_turn = 1, free_push = 10;  // rad/s, m/s²: what may be where no sensor reads it
constexpr double most_position = 1e4;            // rad, m
constexpr double longest_step = 1;               // rad: a larger correction is none

// Deviations at the start.
constexpr double first_of_joint = 10;                          // rad, rad/s
constexpr double first_tilt = 0.3, first_tilt_given = 0.01;    // rad, where nothing tells it, and where the base is given
constexpr double first_speed = 0.5, first_speed_given = 0.05;  // m/s
constexpr double first_acceleration = 0.3;                     // m/s², while the accelerometer tells the tilt
constexpr double again_place = 1, again_turn = 0.5, again_speed = 2;  // m, rad, m/s, where the estimate starts anew

}  // namespace sparsedyn::tracking
