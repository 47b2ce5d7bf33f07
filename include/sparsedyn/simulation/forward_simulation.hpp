// Forward simulation of a robot under constraints from an initial state, with torques that hold a posture or follow set points,
// or without torques.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/simulation/energy_account.hpp"
#include "sparsedyn/simulation/set_points.hpp"

namespace sparsedyn {

/// The integrator. semi_implicit: velocities first, then positions with the new velocities, as mj_step. implicit_velocity: the
/// same, with damping forces at the velocity after the step. runge_kutta: the classical method of fourth order, on the joints'
/// groups (Munthe-Kaas 1999).
enum class Integrator { semi_implicit, implicit_velocity, runge_kutta };
/// Their names: semi-implicit, …
const std::vector<std::string>& integrator_names();
/// None where no integrator has the name.
std::optional<Integrator> integrator_of(const std::string& name);

/// The initial state, the controller of the joints, and the integration.
struct ForwardSimulation {
  std::vector<double> q, v;  // initial (nq, nv); joints without set points are held at this q
  double kp = 0, kd = 0;     // tau = kp (q* − q) + kd (v* − v) + tau*, none at the base
  SetPoints targets;         // q*, v*, tau*; without them q at the start, 0, 0
  double rate = 500;         // steps a second
  Integrator integrator = Integrator::semi_implicit;
  bool project = false;               // close hard loops at the start and after each step
  long rows = 0;                      // steps
  std::vector<int> order;             // of elimination: ConstraintOptions::order
  std::vector<double> effort_limits;  // by freedom (N m or N), of the joints' torques; empty: none
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
struct LargestError {
  double size = 0, time = 0;
  std::string name;  // of the loop
};

/// The row at which the simulation failed, and why; -1 and empty if it did not. The energy balance and the largest gaps.
struct SimulationEnd {
  long row = -1;
  std::string why;
  EnergyAccount energy;
  LargestError gap, drift;
  bool loops = false;  // whether there are hard ones
};

/// Passes each row, with the columns of forward_columns, to the sink, including the rows before a failure. With
/// implicit_velocity, −D v of the hold and of the joints' damping is evaluated at v + h a, which adds h D to the diagonal of M
/// and is stable for any step. Throws std::invalid_argument if the integrator does not support the robot (integrator_misfit),
/// and the exceptions of the sink. Cost: a step is one ConstrainedDynamics::forward and one RNEA, with runge_kutta four of
/// each.
SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardSimulation& simulation,
                               const MotionSink& sink);
/// time, q, dq, ddq, tau, lambda, gap.
std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics);

/// A part of the robot that an integrator does not support, and what it supports.
struct IntegratorMisfit {
  std::string found, expected;
};
/// None where it can.
std::optional<IntegratorMisfit> integrator_misfit(const Model& model, const ForwardSimulation& simulation);

}  // namespace sparsedyn
