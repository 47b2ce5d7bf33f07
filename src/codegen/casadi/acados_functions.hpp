// A robot's dynamics as acados calls them, to stand behind the text of the program of xdot or x_next alone.
#pragma once

#include <string>

#include "casadi_derivatives.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// Why there are none: of another stage than rate and semi-implicit, of robots whose states are not added to (free bases,
/// balls, planar joints), and where no joint moves. Empty where there are.
std::string why_no_acados_functions(const Model& model, const std::string& stage);

/// With `rate`: NAME_expl_ode_fun, NAME_expl_vde_forw, NAME_expl_vde_adj and NAME_expl_ode_hess of ẋ = f(x, u, p); with
/// `semi-implicit`: NAME_dyn_disc_phi_fun, NAME_dyn_disc_phi_fun_jac and NAME_dyn_disc_phi_fun_jac_hess of x⁺ = f(x, u, p), dt
/// the first of p. Inputs, outputs and their order are those of the functions that acados has CasADi write. p: the parameters
/// that are inputs. Throws std::invalid_argument with why_no_acados_functions.
CasadiDerivatives acados_functions(const Model& model, const std::string& stage, const std::string& name,
                                   const ParameterInputs& parameters);

/// What stands before NAME.h: acados' integers are int.
std::string acados_integers();

}  // namespace sparsedyn
