// Derivatives of a step of time as CasADi asks for them, to stand behind the text of the program of x_next alone.
#pragma once

#include <string>

#include "casadi_derivatives.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Why there are none: of another integrator than semi-implicit, and where no joint moves. Empty where there are.
std::string why_no_casadi_stage(const Model& model, const std::string& integrator);

/// jac_NAME, adj1_NAME and jac_adj1_NAME of (x, u, dt) -> x_next, exact, by coordinates: of the function of quaternions scaled
/// to norm 1. Blocks of the Hessian that are zero at every state have no entries. `forces`: links with forces on them in u.
/// Throws std::invalid_argument with why_no_casadi_stage.
CasadiDerivatives casadi_stage(const Model& model, const std::string& integrator, const std::string& name,
                               const std::vector<std::string>& forces = {});

}  // namespace sparsedyn
