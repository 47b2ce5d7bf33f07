// Derivatives of inverse and forward dynamics as CasADi asks for them, to stand behind the text of the program itself.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Why there are none: of other algorithms than rnea and aba, and where no joint moves. Empty where there are.
std::string why_no_casadi_derivatives(const Model& model, const std::string& algorithm);

/// C99 text, and the operations in it.
struct CasadiDerivatives {
  std::string text;
  std::vector<std::string> units =
      {};  // the same as texts that are compiled one by one, at the same time, and linked with NAME.c
  long operations = 0;
};

/// jac_NAME, adj1_NAME and jac_adj1_NAME, exact, at quaternions of any norm too, to be appended to NAME.c of that algorithm
/// with all its outputs. Throws std::invalid_argument with why_no_casadi_derivatives.
CasadiDerivatives casadi_derivatives(const Model& model, const std::string& algorithm, const std::string& name);

}  // namespace sparsedyn
