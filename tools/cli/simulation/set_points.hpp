// What motors are to do over time: positions, velocities and torques of joints, from a log.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// Of joints of one freedom, by entry of v; linear between rows, the first and the last hold before and after them.
struct SetPoints {
  std::vector<double> time;       // s from the first row on; empty: none
  std::vector<double> q, v, tau;  // rows × nv; q is NaN where nothing is said of the joint
  bool positions = false;         // whether some joint has a position or a velocity
  bool repeat = false;            // the last row is the first one again

  /// Each nv.
  void at(double t, double* q_then, double* v_then, double* tau_then) const noexcept;
};

/// Columns time, and q.JOINT, dq.JOINT, tau.JOINT as far as the log has them; a joint with a position and no velocity is to
/// rest. Throws InputError, also where the log has none of them, or its time does not grow.
SetPoints read_set_points(const Model& model, const std::string& path, bool repeat);

}  // namespace sparsedyn::cli
