// Recordings of products with the regressor of inverse dynamics, tau = Y(q, v, a) π (dynamics/regressor.hpp). No body's
// numbers are in them but gravity, frames and smoothing velocities: one program serves all robots of the same geometry.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// q, dq, ddq, pi (`pi.LINK.m`, ...) -> tau = Y π.
void record_regressor_times(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);
/// q, dq, ddq, lambda (as dq) -> Yt_lambda = Yᵀ λ, an entry a parameter.
void record_regressor_transposed_times(Recorder& recorder, const Model& model, const MinimalFormulation& formulation,
                                       bool wrenches);

}  // namespace sparsedyn
