// Forward simulation: the motion of a robot under constraints, from a state on, with torques that hold a posture, follow set
// points, or none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/simulation/energy_account.hpp"
#include "sparsedyn/simulation/set_points.hpp"

namespace sparsedyn {

/// How a step is made. semi_implicit: velocities, then positions by the new ones, as mj_step. implicit_velocity: the same, with
/// forces that damp at the velocity after the step. runge_kutta: the classical method of fourth order, on the joints' groups
/// (Munthe-Kaas 1999).
enum class Integrator { semi_implicit, implicit_velocity, runge_kutta };
/// Their names: semi-implicit, …
const std::vector<std::string>& integrator_names();
/// None where no integrator has the name.
std::optional<Integrator> integrator_of(const std::string& name);

/// What is to be simulated: the start, what drives the joints, and the steps.
struct ForwardSimulation {
  std::vector<double> q, v;  // at the start (nq, nv); q is also the posture that is held where no set point says otherwise
  double kp = 0, kd = 0;     // tau = kp (q* − q) + kd (v* − v) + tau*, none at the base
  SetPoints targets;         // q*, v*, tau*; without them q at the start, 0, 0
  double rate = 500;         // steps a second
  Integrator integrator = Integrator::semi_implicit;
  bool project = false;               // hard loops are closed again at the start and after each step
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

/// At which row it went wrong, and what; -1 and nothing where it did not. What was kept on the way.
struct SimulationEnd {
  long row = -1;
  std::string why;
  EnergyAccount energy;
  LargestError gap, drift;
  bool loops = false;  // whether there are hard ones
};

/// Hands each row over, as forward_columns names its numbers; rows before what went wrong, too. With implicit_velocity −D v of
/// the hold and of the joints' damping is taken at v + h a, which adds h D to the diagonal of M and is stable at any step.
/// Throws std::invalid_argument where the integrator cannot step the robot (integrator_misfit), and what the sink throws. Cost:
/// a step is one ConstrainedDynamics::forward and one RNEA, with runge_kutta four of each.
SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardSimulation& simulation,
                               const MotionSink& sink);
/// time, q, dq, ddq, tau, lambda, gap.
std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics);

/// What an integrator cannot step, and what it could.
struct IntegratorMisfit {
  std::string found, expected;
};
/// None where it can.
std::optional<IntegratorMisfit> integrator_misfit(const Model& model, const ForwardSimulation& simulation);

}  // namespace sparsedyn
