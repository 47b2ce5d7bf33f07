// From the names of parameters that a user wants as inputs of a program to their places.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// `inertial`: all ten numbers of every body; `joints`: armature, damping, friction, offset and stiffness of every joint;
/// `base`: the base parameters of the bodies, the others zero; the name of a link that leads a body, or of a joint: its own; or
/// a parameter by its own name (`elbow.damping`). Each once, in the order of parameter_names. Throws UsageError, which begins
/// with `option`, for others, and for `base` beside numbers of bodies.
ParameterInputs requested_parameters(const Model& model, const std::string& option, const std::vector<std::string>& names);

}  // namespace sparsedyn
