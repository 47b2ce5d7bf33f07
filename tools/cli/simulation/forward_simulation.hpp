// A robot let go: its motion under constraints, from a state on, with torques that hold a posture or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/csv_writer.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn::cli {

struct ForwardMotion {
  std::vector<double> q, v;  // at the start; q is also the posture that is held
  double kp = 0, kd = 0;     // tau = kp (q0 − q) − kd v, none at the base
  double rate = 500;         // steps a second
  long rows = 0;
};

/// Columns time, q, dq, ddq, tau, lambda, gap. Returns what went wrong, with the time, and the row at which it did, or nothing;
/// rows before it are written.
struct SimulationEnd {
  long row = -1;
  std::string why;
};
SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardMotion& motion, CsvWriter& out);

}  // namespace sparsedyn::cli
