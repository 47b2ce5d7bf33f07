// Set points over time: positions, velocities and torques of joints.
#pragma once

#include <vector>

namespace sparsedyn {

/// For joints of one freedom, by entry of v. Linear between rows; the first row applies before its time, the last row after it.
struct SetPoints {
  std::vector<double> time;       // s from the first row on, growing; empty: none
  std::vector<double> q, v, tau;  // rows × nv (rad or m, their rates, N m or N); q is NaN for joints without set points
  bool positions = false;         // whether some joint has a position or a velocity
  bool repeat = false;            // periodic: the first row follows the last

  /// Each nv, at t (s). There is a row.
  void at(double t, double* q_then, double* v_then, double* tau_then) const noexcept;
};

}  // namespace sparsedyn
