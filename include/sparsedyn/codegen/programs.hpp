// Straight-line programs: the recursive algorithms, each in the formulation with the fewest operations for the robot; sensor
// sets that determine the dynamics exactly; and sets that determine more, or less, by the estimator's factorisation. Contact
// dynamics iterate and are written as C.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Names that algorithm_program knows: rnea, aba, crba, minverse, coriolis (C and M), rnea-derivatives, aba-derivatives,
/// rnea-second-derivatives, rnea-with-derivatives: tau, M, first and second derivatives in one; regressor (Y of tau = Y π),
/// regressor-times (π an input, tau), regressor-transposed-times (λ an input, Yᵀλ); bias, energy, kinematics, jacobians,
/// jacobian-rates, momentum-rate, centroidal-momentum-matrix, centre-of-mass-jacobian.
std::vector<std::string> program_algorithms();

/// Parameters of a robot that are inputs of its program, the vector `pi`, instead of constants.
struct ParameterInputs {
  std::vector<int> columns;     // places in parameter_names(model), upwards: the elements of pi, named `pi.` and that name
  std::vector<double> nominal;  // the value of each that gives the robot itself; SI units
  std::vector<int> absent;      // places of parameters that are zero, because base parameters contain what they do
  /// Whether there are none.
  bool empty() const { return columns.empty(); }
};

/// Inputs q, dq, ddq or tau as far as the algorithm reads them; outputs tau or ddq, and matrices row by row (M, Minv, C,
/// dtau_dq, dtau_dv, dddq_dq, dddq_dv, dddq_dtau), named as in logs; of tensors (d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq) the
/// entries that are not zero at every state. tau begins with tau.base where the root floats. `outputs`: those wanted, by name;
/// empty: all. `wrenches`: an input fx more, the external wrenches on all links that move (fx.LINK.nx, ...), for algorithms
/// that they enter; else they are zero. `parameters`: the last input is pi, and rnea-derivatives and aba-derivatives give
/// dtau_dpi and dddq_dpi (nv × pi, row by row), too. Throws std::invalid_argument for an unknown name.
Program algorithm_program(const Model& model, const std::string& algorithm, const std::vector<std::string>& outputs = {},
                          bool wrenches = false, const ParameterInputs& parameters = {});

/// algorithm_program of all outputs, and its form in vectors where that saves instructions: with isomorphic branches, and
/// second derivatives. None with `wrenches`.
VectorisedProgram vectorised_program(const Model& model, const std::string& algorithm, bool wrenches = false,
                                     const ParameterInputs& parameters = {});

/// One step of time as optimal control takes it, x⁺ = f(x, u, dt): inputs x (q, then dq), u (torques of the joints, without
/// those of a free base; by semi-implicit then forces on the origins of the links `forces`, in the world's axes), dt (s), and
/// lambda (2 nv) where g or H is asked for; `parameters`: the last input is pi. `integrator`: semi-implicit, or rk4, which
/// simulate_forward calls runge-kutta; u is held constant, without constraints. Or rate: ẋ = f(x, u) itself, without dt and T.
/// `outputs`, in this order:
///   x_next   nq + nv; of a rate xdot, 2nv
///   A, B, T  ∂x⁺/∂x (2nv × 2nv), ∂x⁺/∂u (2nv × u), ∂x⁺/∂dt (2nv), row by row. States change along the tangent, at both ends:
///            x ⊕ (δq, δv) = (q ⊕ δq, v + δv)
///   g        λᵀ[A B T], 2nv + u + 1 numbers
///   H        the Hessian of λᵀ(f(x ⊕ δx, u + δu, dt + δt) ⊖ x⁺) by (δx, δu, δt) at zero
///            `H.i.k` with i ≥ k: the lower triangle, without entries that are zero by their symbols:
///            these are all that are zero at every state, but for a few by positions of free bases and planar joints, which
///            are zero up to rounding
/// Where a ball, a free base or, by rk4, a planar joint turns by more than 4π rad within a step, its turn, its shift by rk4,
/// and what is derived of them are NaN. Throws std::invalid_argument for another name,
/// std::domain_error where a joint moves no mass at any state. Cost: as that of aba-derivatives, with rk4 four times.
Program stage_program(const Model& model, const std::string& integrator,
                      const std::vector<std::string>& outputs = {"x_next", "A", "B"}, const ParameterInputs& parameters = {},
                      const std::vector<std::string>& forces = {});
/// The integrators' names: semi-implicit, rk4, and runge-kutta, which is rk4; and rate.
const std::vector<std::string>& stage_integrators();
/// Why there is none of this robot, or "": a rate is of robots whose positions are added to.
std::string why_no_stage(const Model& model, const std::string& integrator);
/// Names of its outputs. Throws std::invalid_argument for another integrator.
const std::vector<std::string>& stage_outputs(const std::string& integrator);

/// Which entries of System::inputs() the program reads. Others are constants: their fallbacks.
using ReadInputs = std::vector<bool>;
/// The inputs that a log must have.
ReadInputs required_inputs(const System& system);

/// The robot of a sensor set's program, and its parameters that are inputs.
struct RobotParameters {
  std::shared_ptr<const Model> robot;  // null: all parameters are constants
  ParameterInputs inputs;              // of that robot
  /// Whether there are none.
  bool empty() const { return !robot || inputs.empty(); }
};

/// What is planned for a program whose parameters are inputs: the set on a robot of the same structure, whose inputs have
/// numbers near their nominal ones, none of them zero or equal to another. Its pattern has the entries of all values of the
/// inputs. For plans and the programs below with the same parameters alone: Solver, Estimator, Tracker and programs without
/// them throw std::invalid_argument, since their answers would be those of a robot with these other numbers. Throws as System
/// does, and std::invalid_argument for inputs that are no places in parameter_names, each once, with a nominal value each.
System system_with_inputs(const RobotParameters& parameters, const SensorSet& set, const Formulation& formulation = {});

/// Which derivatives of its outputs a sensor set's program gives, as outputs more: dx_dq, dx_dv (outputs × nv; q along its
/// tangent), dx_dy (× the inputs read), dx_dp (× parameter_names), row by row, `dx_dq.i.k`, i counting the outputs in the order
/// in which they were asked for. Those by parameters are std::invalid_argument for sets with com_acceleration or momentum_rate
/// and for the formulation joint-space. Where parameters are inputs, dx_dpi (outputs × pi) takes the place of dx_dp. A solve
/// with the recorded factors for each direction.
struct DerivativesBy {
  bool q = false, v = false, y = false, p = false;  // wanted
  /// Second ones in place of those by q, v and y, contracted with multipliers: an input lambda (`lambda.COLUMN` of each
  /// output), and the outputs g, the gradient of λᵀ outputs by (q, v, y) as far as wanted, and H, the lower triangle of its
  /// Hessian by the same: that of (δ, v, y) ↦ λᵀ outputs(q ⊕ δ, v, y) at δ = 0, `H.i.k` with i ≥ k, without entries that are
  /// zero by their symbols.
  bool second = false;
  /// Whether one of them is.
  bool any() const { return q || v || y || p; }
};

/// How many steps of iterative refinement a program does for an output, by its column (`tau.knee`, `sd.tau.knee`,
/// `innovation.tau.knee`); none for columns that are not named. Outputs, chi2 and the residuals of innovations come from one
/// solve, so that a step of one of them is one of all. Cost of a step: a solve and a product with the matrix.
using RefinementSteps = std::map<std::string, int>;

/// Inputs q, dq and y (the entries read, by the log column of joint or link where there is one, else by `y.SENSOR…`); outputs
/// one vector for each kind asked for (tau, ddq, acc, f, fx), named by columns. `outputs` as Outputs takes them. Assembly,
/// elimination in the plan's order and substitution, recorded. `parameters`: the last input is pi, and system and plan are
/// those of system_with_inputs for the same parameters. Wrenches on fixed joints (force_torque, f.JOINT) take what hangs on the
/// joint as constant. Throws UnknownOutput, std::domain_error where a pivot is zero at every state, std::invalid_argument for
/// parameters in a formulation with frames along the axes (canonical, intermediate-frames), and for parameters with a system
/// that is not that of system_with_inputs for these: pi would have no effect on it.
Program sensor_program(const System& system, const Plan& plan, const std::vector<std::string>& outputs, const ReadInputs& read,
                       const DerivativesBy& derivatives = {}, const RobotParameters& parameters = {},
                       const RefinementSteps& refined = {});

/// Whether inverse or forward dynamics is all that is asked for: every wrench on a link is known exactly, and either every
/// joint acceleration with outputs tau, or every joint torque with outputs ddq.
bool is_plain_dynamics(const System& system, const std::vector<std::string>& outputs);

/// The same program by the leanest recursive formulation; `parameters`: the last input is pi. Throws std::invalid_argument
/// unless is_plain_dynamics.
Program plain_dynamics_program(const System& system, const std::vector<std::string>& outputs, const ReadInputs& read,
                               const ParameterInputs& parameters = {});

/// Further inputs and outputs of a recorded estimate.
struct EstimatorProgramOptions {
  /// The weights 1/σ of the noisy rows as an input `weight` (`weight.y.SENSOR…`) instead of the set's numbers. The
  /// plan's missing-data order is recorded. A weight of 0 is a missing measurement; it is answered as long as that order keeps
  /// its pivots. Else outputs are not finite, where the Estimator would look for another order.
  bool weights = false;
  bool deviations = false;     // an output `sd` (`sd.COLUMN`): posterior standard deviations
  DerivativesBy derivatives;   // of the outputs, at these weights
  RobotParameters parameters;  // the last input is pi; system and plan are those of system_with_inputs
  bool chi_square = false;     // an output `chi2`: Σ ((y_i − Y_i x) / σ_i)² over the noisy rows
  /// An output `innovation` (`innovation.COLUMN`) of every noisy row, as Estimator::innovations; not with weights as an input.
  /// std::domain_error where other readings predict a row at some states alone.
  bool innovations = false;
  /// A deviation or an innovation that is named is solved for, not swept.
  RefinementSteps refined = {};
};

/// Inputs and outputs as sensor_program's, the same numbers as the Estimator's for samples without gaps. Outputs that the plan
/// leaves undetermined are any solution's: ask EstimatorPlan::undetermined first. Throws UnknownOutput, std::domain_error, and
/// std::invalid_argument for options.parameters as sensor_program does.
Program estimator_program(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& outputs,
                          const ReadInputs& read, const EstimatorProgramOptions& options = {});

// Generated contact dynamics: forward dynamics under contacts, loops, stops and dry friction as one C function.

/// Options of the generated C.
struct ContactCodeOptions {
  std::string description;         // one line at the top of the files
  bool wrenches = false;           // an input fx more: external wrenches on all links that move
  bool derivatives = false;        // first derivatives as outputs more
  bool second = false;             // with these, second ones of ddq times an input `multipliers`
  bool force_multipliers = false;  // with these, an input `force_multipliers` more: those of lambda times it, too
  ParameterInputs parameters;      // an input pi more, before `start`, of dynamics without derivatives
  bool batch = true;               // with NAME_batch and NAME_batch_status: a sample in each lane of the processor's vectors
  int largest_part = 7500;         // as EmitOptions
  std::vector<std::pair<std::string, std::vector<std::string>>> manifest_lists;  // likewise
};

/// The files and their operation counts.
struct ContactCode {
  CProgram files;                     // texts of NAME.c, NAME.h and NAME.json
  std::vector<Port> inputs, outputs;  // the function's vectors, with names of their elements
  OperationCounts once, step;         // of the straight lines: once a call, and each Newton step
  OperationCounts derivatives;        // of that which derivatives take
};

/// NAME(arg, res, iw, w, mem): q, dq, tau (fx), start → ddq, lambda, gap, next, solver: what ConstrainedDynamics::forward
/// gives, to its tolerance, by the same iteration; inverse weights that the set does not state (Constraint::inverse_weight) are
/// those of `model` also where parameters are inputs; with `derivatives` also dddq_dq, dddq_dv, dddq_dtau (nv × nv) and
/// dlambda_dq, dlambda_dv, dlambda_dtau (lambda's columns × nv), as ConstrainedDynamics::derivatives; with `second` also an
/// input multipliers (nv) before `start` and an output H, the lower triangle of multipliersᵀ ∂²ddq by (q along the tangent, v,
/// tau), row by row (`H.i.k`), the contacts' states held as in first derivatives; with `force_multipliers` an input of that
/// name behind multipliers, as long as lambda, and H of multipliersᵀ ddq + force_multipliersᵀ lambda. No heap; between calls
/// nothing is kept but what the caller hands on, `next` as `start`. 0; 1 where an input is not finite, 2 where a joint moves no
/// mass, 3 where forces do not settle or hard rows contradict each other: then `solver` alone is written. All types of
/// constraints; joints may follow others. Batches go in lanes where there are no connect, weld and joint and no derivatives,
/// else one sample at a time. Throws std::invalid_argument, naming the constraint, for what is not known, for powers in solimp
/// that are not whole or above 20, and as ConstrainedDynamics does; std::domain_error where some joint moves no mass at any
/// state.
ContactCode contact_dynamics_code(const Model& model, const ConstraintSet& set, const std::string& name,
                                  const ContactCodeOptions& options = {});

/// NAME(arg, res, iw, w, mem): q, dq, ddq (fx) → tau, lambda, gap: what ConstrainedDynamics::inverse gives, in closed form. 0,
/// or 1 where an input or a result is not finite: then nothing is written. `options.derivatives` has no meaning. Batches as
/// those of contact dynamics; counts are in `once`. Throws as contact_dynamics_code, and std::invalid_argument for hard
/// constraints, naming one.
ContactCode contact_inverse_dynamics_code(const Model& model, const ConstraintSet& set, const std::string& name,
                                          const ContactCodeOptions& options = {});

/// A step of time under contacts and loops: x, u, dt (lambda, where g or H is asked for), start → those asked for of
/// contact_stage_outputs(), in that order, then next and solver. The accelerations are those of contact_dynamics_code at x and
/// u, and x⁺ follows from them by semi-implicit Euler, as simulate_forward makes one step with these constraints. x_next, A, B,
/// T, g and H are those of stage_program, of H all entries of the lower triangle; derivatives hold the active set fixed
/// (ConstrainedDynamics::derivatives). force and gap are lambda and gap of contact_dynamics_code. Codes as there; 1 also where
/// a body turns by more than 4π rad within the step. `options.wrenches` and `options.derivatives` have no meaning. Batches take
/// one sample at a time. Throws as contact_dynamics_code, and std::invalid_argument for another output, and for H with connect,
/// weld and joint. Cost: as contact dynamics, with derivatives as those.
ContactCode contact_stage_code(const Model& model, const ConstraintSet& set, const std::vector<std::string>& outputs,
                               const std::string& name, const ContactCodeOptions& options = {});
/// Names of its outputs: x_next, A, B, T, g, H, force, gap.
const std::vector<std::string>& contact_stage_outputs();

}  // namespace sparsedyn
