// A robot let go: its motion under constraints, from a state on, with torques that hold a posture or none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn::cli {

struct ForwardMotion {
  std::vector<double> q, v;  // at the start; q is also the posture that is held
  double kp = 0, kd = 0;     // tau = kp (q0 − q) − kd v, none at the base
  double rate = 500;         // steps a second
  bool implicit = false;     // forces that damp are those of the velocity after the step
  long rows = 0;
};

/// Takes row k: one number for each of these columns.
using MotionSink = std::function<void(long k, const std::vector<std::string>& columns, const double* row)>;

/// At which row it went wrong, and what; -1 and nothing where it did not.
struct SimulationEnd {
  long row = -1;
  std::string why;
};
/// By semi-implicit Euler. motion.implicit: −D v of the hold and of the joints' damping is taken at v + h a, which adds h D to
/// the diagonal of M and is stable at any step; throws std::invalid_argument where a joint with several freedoms is held so.
/// Columns time, q, dq, ddq, tau, lambda, gap. Rows before what went wrong are handed over.
SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardMotion& motion,
                               const MotionSink& sink);
/// Those columns.
std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics);

}  // namespace sparsedyn::cli
