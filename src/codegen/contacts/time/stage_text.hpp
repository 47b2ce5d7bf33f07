// The hand-written part of a generated step of time under contacts: around contact dynamics and the joints' own steps.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The function, after @_dynamics (q, dq, tau, start → ddq, lambda, gap, next, solver, and with derivatives three matrices and
/// three that are null) and the stage of joint_steps. `ports`: its vectors.
std::string contact_stage_function(const Program& ports);

/// A table of the joints, and how derivatives of x⁺ follow from those of the accelerations; nothing without derivatives.
std::string contact_stage_chain(const Model& model, const Program& ports);

}  // namespace sparsedyn
