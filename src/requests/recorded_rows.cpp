#include "recorded_rows.hpp"

namespace sparsedyn {

bool states_deviations_of_state(const System& system) { return !system.position_sigma().empty(); }

std::optional<Program> recorded(const SensorSolver& solver, const ReadInputs& read, bool weights, const DerivativesBy& by,
                                const RobotParameters& parameters, const RefinementSteps& refined) {
  const std::optional<AnswerPlan> from = solver.plan();
  if (!from) return {};
  if (from->estimator_plan) {
    if (from->deviations && states_deviations_of_state(solver.system())) return {};
    EstimatorProgramOptions options;
    options.weights = weights;
    options.deviations = from->deviations, options.innovations = from->innovations;
    options.chi_square = true;
    options.derivatives = by, options.parameters = parameters, options.refined = refined;
    return estimator_program(from->system, *from->estimator_plan, from->outputs, read, options);
  }
  if (!from->plan_is_chosen && !by.any() && parameters.empty() && is_plain_dynamics(solver.system(), from->outputs))
    return plain_dynamics_program(solver.system(), from->outputs, read);
  return sensor_program(from->system, *from->plan, from->outputs, read, by, parameters, refined);
}

}  // namespace sparsedyn
