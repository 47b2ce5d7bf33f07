// The program of a sensor set: what `solve` gives, as a straight line.
#pragma once

#include <string>
#include <vector>

#include "requested_program.hpp"

namespace sparsedyn {

/// request.sensors is given. What is worth knowing is added to `warnings`. Where parameters are inputs, the order is the one
/// that a search finds for numbers near the robot's own, none of them zero; where that loses digits at the robot's own numbers,
/// the robot's own order, with the entries of all other numbers. Throws UsageError, UnknownName, InputError, AnswerIsNo,
/// std::domain_error where a pivot is zero at every state.
RequestedProgram set_program(const Model& model, const ProgramRequest& request, std::vector<std::string>& warnings);

}  // namespace sparsedyn
