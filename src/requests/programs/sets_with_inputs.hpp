// Sensor sets whose robot has parameters as inputs of the program: what is planned, and what is refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/plan_source.hpp"

namespace sparsedyn {

/// The orders of a plan that was stored for `nominal`, newton-euler, as plans of system_with_inputs for the same set: this has
/// the same rows and columns, and more entries where inputs may become nonzero.
std::shared_ptr<const StoredPlan> plan_with_inputs(std::shared_ptr<const StoredPlan> stored,
                                                   std::shared_ptr<const System> nominal);

/// Throws UsageError where base parameters are the inputs, and the set or the outputs (columns) depend on single masses.
void require_functions_of_base(const System& system, const std::vector<std::string>& columns,
                               const std::vector<std::string>& names);

/// Throws AnswerIsNo where the robot itself, whose inputs are `nominal`, leaves undetermined what other values of the inputs
/// determine (a link without mass). nominal: its system; varied: system_with_inputs. Cost: two dense rank decisions, for robots
/// with bodies without mass.
void require_same_rank(const System& nominal, const System& varied);

/// Throws AnswerIsNo where the program, whose order is one for other numbers, answers at no state at the robot's own ones, or
/// answers otherwise than `nominal`, the solver of the set on the robot itself, by more than 1e-6 of the largest output where
/// `constant`, the program of that solver, does not: at random states and special ones. Where weights are inputs nothing is
/// compared. The programs' first inputs are q, dq and the readings read, the last one of `program` is pi. Cost: 60 solves.
void require_nominal_answers(SensorSolver& nominal, const Program& constant, const Program& program, const ReadInputs& read,
                             const ParameterInputs& inputs);

}  // namespace sparsedyn
