// Pivot health: how an order without pivot search fares over many states.
#pragma once

#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/sparse/samples.hpp"

namespace sparsedyn {

/// Worst backward error and growth of the plan over all samples (definitions: Health). A pivot that vanishes, or a solution
/// that is not finite, counts as an infinite backward error; nothing is worse, so no other state is tried then. The
/// componentwise error is what is left after the refinement that solvers do. Cost: one assembly, factorisation and solve a
/// sample.
Health measure_health(const Plan& plan, const Samples& samples);

}  // namespace sparsedyn
