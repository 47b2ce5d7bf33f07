// The tests, in the order in which they run: each takes off what it finds.
#pragma once

#include <functional>

#include "examination.hpp"

namespace sparsedyn::inspection {

/// other_robot, unknown_name; what the log lacks.
void test_names(Examination& x);

/// time_back, time_uneven, gap of `time`; then samples are even.
void test_time(Examination& x);
/// `ratios`: of each moving joint, the way of its velocity column over that of its positions.
void test_time_unit(Examination& x, const std::vector<double>& ratios);

/// gap, spikes, quantised, stuck, saturated of single columns.
void test_columns(Examination& x);

/// time_unit, angle_unit and beyond_limit; velocity_of_other_joint, _sign, _scale, _lag.
void test_motion(Examination& x);

/// angle_unit, beyond_limit. `ratios`, by freedom: as for test_time_unit; NaN: not known. Whether columns were converted.
bool test_angles(Examination& x, const std::vector<double>& ratios);

/// quaternion_norm, _order, _conjugate; base_velocity_order, _frame.
void test_base(Examination& x);

/// The motion as the tests corrected it, with what the log lacks derived.
struct WholeMotion {
  bool known = false;  // else something is missing, as `why` says
  std::string why;
  std::vector<Series> q, v, a;  // by coordinate, by freedom
  /// Deviations of their noise: of white noise that columns show, and what derivatives leave of it.
  std::vector<double> noise_q, noise_v, noise_a;
};
WholeMotion whole_motion(Examination& x);
/// Calls use(i, q, v, a) at up to `most` samples, evenly spread, at which all of the motion is a number.
void for_each_state(const Examination& x, const WholeMotion& motion, std::size_t most,
                    const std::function<void(std::size_t i, const double* q, const double* v, const double* a)>& use);

/// force_sign, force_unit of sensors under a floating robot, unless a position far beyond its limits turns them. Before
/// torques, whose model they enter.
void test_supports(Examination& x, const WholeMotion& motion);
/// torque_of_other_joint, torque_sign, torque_scale; drift. Takes offsets of positions beyond their limits off the motion.
void test_torques(Examination& x, WholeMotion& motion);
/// Readings of the sensor set.
void test_sensors(Examination& x, const WholeMotion& motion);
void test_noise(Examination& x);

}  // namespace sparsedyn::inspection
