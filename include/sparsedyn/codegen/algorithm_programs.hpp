// The recursive algorithms as programs, each in the formulation that takes the fewest operations for the robot at hand.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Names that algorithm_program knows: rnea, aba, crba, minverse, coriolis (C and M), rnea-derivatives, aba-derivatives,
/// rnea-second-derivatives, and rnea-with-derivatives: tau, M, first and second derivatives in one.
std::vector<std::string> program_algorithms();

/// Inputs q, dq, ddq or tau as far as the algorithm reads them; outputs tau or ddq, and matrices row by row (M, Minv, C,
/// dtau_dq, dtau_dv, dddq_dq, dddq_dv, dddq_dtau), named as in logs; of tensors (d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq) the
/// entries that are not zero at every state. tau begins with tau.base where the root floats. `outputs`: those wanted, by name;
/// empty: all. `wrenches`: an input fx more, the external wrenches on all links that move (fx.LINK.nx, ...), for algorithms
/// that they enter; else they are zero. Throws std::invalid_argument for an unknown name.
Program algorithm_program(const Model& model, const std::string& algorithm, const std::vector<std::string>& outputs = {},
                          bool wrenches = false);

/// algorithm_program of all outputs, and its form in vectors where that saves instructions: with isomorphic branches, and
/// second derivatives. None with `wrenches`.
VectorisedProgram vectorised_program(const Model& model, const std::string& algorithm, bool wrenches = false);

}  // namespace sparsedyn
