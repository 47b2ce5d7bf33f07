// The rate of a state, ẋ = f(x, u), with its first and second derivatives: for integrators that differentiate themselves.
#pragma once

#include <string>
#include <vector>

#include "codegen/minimal/minimal_formulation.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// Inputs x, u and, where g or H is asked for, lambda. Outputs, in this order, those of xdot, A, B, g and H that are asked for;
/// z = (δq, v, u). For robots whose positions are added to.
void record_rate(Recorder& recorder, const Model& model, const MinimalFormulation& f, const std::vector<std::string>& asked);

}  // namespace sparsedyn
