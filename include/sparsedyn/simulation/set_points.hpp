// What motors are to do over time: positions, velocities and torques of joints.
#pragma once

#include <vector>

namespace sparsedyn {

/// Of joints of one freedom, by entry of v; linear between rows, the first and the last hold before and after them.
struct SetPoints {
  std::vector<double> time;       // s from the first row on, growing; empty: none
  std::vector<double> q, v, tau;  // rows × nv (rad or m, their rates, N m or N); q is NaN where nothing is said of the joint
  bool positions = false;         // whether some joint has a position or a velocity
  bool repeat = false;            // the last row is the first one again

  /// Each nv, at t (s). There is a row.
  void at(double t, double* q_then, double* v_then, double* tau_then) const noexcept;
};

}  // namespace sparsedyn
