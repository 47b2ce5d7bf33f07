// One step of semi-implicit Euler: velocities first, then positions by the new velocities, as MuJoCo's mj_step.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Bodies that shift and turn at once (floating, planar) step in their parent's axes: p⁺ = p + h (R v + h R (a + ω × v)),
/// R⁺ = R exp(h ω⁺). q: nq, v: nv, both stepped; a: nv.
void semi_implicit_step(const Model& model, double h, double* q, double* v, const double* a);

}  // namespace sparsedyn
