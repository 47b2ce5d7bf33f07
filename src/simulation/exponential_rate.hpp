// Where q = q0 ⊕ θ moves with the velocity v, how θ moves: Runge and Kutta's method on a Lie group (Munthe-Kaas 1999).
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// θ' = v + ½ [θ, v] + 1/12 [θ, [θ, v]] for each joint, the inverse of the exponential's derivative (tangent on the right) as
/// far as a method of fourth order needs it; v itself for joints of one freedom. theta, v, rate: nv, rate apart from both.
void exponential_rate(const Model& model, const double* theta, const double* v, double* rate);

}  // namespace sparsedyn
