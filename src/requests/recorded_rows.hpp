// The answers to rows as a program.
#pragma once

#include <optional>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// Whether q and dq have deviations of their own, which enter those of outputs: no program has these.
bool states_deviations_of_state(const System& system);

/// What `solver` gives, as a program that reads these inputs, and, if asked to, the noisy rows' weights too: outputs named as
/// solver.columns(), then what solver.accept() takes, then derivatives. None where rows need more than a program gives.
/// `parameters`: the solver is of system_with_inputs for these. `refined`: of what is solved by the plan.
std::optional<Program> recorded(const SensorSolver& solver, const ReadInputs& read, bool weights = false,
                                const DerivativesBy& derivatives = {}, const RobotParameters& parameters = {},
                                const RefinementSteps& refined = {});

}  // namespace sparsedyn
