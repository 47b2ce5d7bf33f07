// Solvers whose making is told in words: for the program and the Python package.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_derivatives.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// A SensorSolver; what is worth knowing of its making is added to `warnings`, as sentences. Throws AnswerIsNo where the plan
/// does not fit, where an output asked for is undetermined, and where exact rows follow from each other; else as the
/// constructor does.
SensorSolver told_solver(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                         std::vector<std::string>& warnings);

/// The same for derivatives; AnswerIsNo too where the robot lacks the inertia for an answer at any state.
SensorDerivatives told_derivatives(const std::shared_ptr<const System>& system, const std::vector<std::string>& outputs,
                                   const PlanSource& plans, std::vector<std::string>& warnings);

}  // namespace sparsedyn
