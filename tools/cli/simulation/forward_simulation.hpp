// A robot let go: its motion under constraints, from a state on, with torques that hold a posture, follow set points, or none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "energy_balance.hpp"
#include "set_points.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn::cli {

/// How a step is made. semi_implicit: velocities, then positions by the new ones, as mj_step. implicit_velocity: the same, with
/// forces that damp at the velocity after the step. runge_kutta: the classical method of fourth order, on the joints' groups
/// (Munthe-Kaas 1999).
enum class Integrator { semi_implicit, implicit_velocity, runge_kutta };
/// Their names: semi-implicit, …
const std::vector<std::string>& integrator_names();
std::optional<Integrator> integrator_of(const std::string& name);

struct ForwardMotion {
  std::vector<double> q, v;  // at the start; q is also the posture that is held where no set point says otherwise
  double kp = 0, kd = 0;     // tau = kp (q* − q) + kd (v* − v) + tau*, none at the base
  SetPoints targets;         // q*, v*, tau*; without them q at the start, 0, 0
  double rate = 500;         // steps a second
  Integrator integrator = Integrator::semi_implicit;
  bool project = false;  // hard loops are closed again at the start and after each step
  long rows = 0;
  std::vector<int> order;             // of elimination: ConstraintOptions::order
  std::vector<double> effort_limits;  // by freedom, of the joints' torques; empty: none
};

/// Row k: one number for each of the columns; the energy then; how far each hard loop is open (LoopProjection::gaps).
struct MotionRow {
  long k;
  const std::vector<std::string>& columns;
  const double* numbers;
  const EnergyAccount& energy;
  const std::vector<double>& gaps;
};
using MotionSink = std::function<void(const MotionRow&)>;

/// The largest gap of a loop, or the largest energy that no work explains, and when.
struct Worst {
  double size = 0, time = 0;
  std::string name;  // of the loop
};

/// At which row it went wrong, and what; -1 and nothing where it did not. What was kept on the way.
struct SimulationEnd {
  long row = -1;
  std::string why;
  EnergyAccount energy;
  Worst gap, drift;
  bool loops = false;  // whether there are hard ones
};

/// implicit_velocity: −D v of the hold and of the joints' damping is taken at v + h a, which adds h D to the diagonal of M and
/// is stable at any step; throws std::invalid_argument where a joint with several freedoms is held so.
/// Columns time, q, dq, ddq, tau, lambda, gap. Rows before what went wrong are handed over.
SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardMotion& motion,
                               const MotionSink& sink);
/// Those columns.
std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics);
/// "" or what this integrator cannot step, why, and `; expected` what.
std::string refused_joint(const Model& model, const ForwardMotion& motion);

}  // namespace sparsedyn::cli
