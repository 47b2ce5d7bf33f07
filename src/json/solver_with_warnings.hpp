// Construction of solvers with warnings as sentences, for the program and the Python package.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_derivatives.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// Constructs a SensorSolver and appends warnings about its plan and outputs to `warnings`, as sentences. Throws AnswerIsNo if
/// the plan does not fit, if an output asked for is undetermined, or if exact rows are redundant; otherwise the exceptions of
/// the constructor.
SensorSolver solver_with_warnings(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                                  std::vector<std::string>& warnings);

/// The same without warnings about how it was made (SolveReport::making).
SensorSolver solver_with_refusals(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                                  std::vector<std::string>& warnings);

/// The same as solver_with_warnings for derivatives. Throws AnswerIsNo also if the robot lacks the inertia for an answer at
/// every state.
SensorDerivatives derivatives_with_warnings(const std::shared_ptr<const System>& system,
                                            const std::vector<std::string>& outputs, const PlanSource& plans,
                                            std::vector<std::string>& warnings);

}  // namespace sparsedyn
