#pragma once

#include "sparsedyn/sparse/detail/health.hpp"

namespace sparsedyn {

/// As measure_health, but no further than to a state whose backward error is not healthy and reaches `hopeless`.
Health bounded_health(const Plan& plan, const Samples& samples, double hopeless);

/// A flag for each state of `samples`: the plan's order alone does not solve it, be it for a pivot that vanishes or for an
/// error beyond 1e-12 that refinement leaves, so that whoever runs the plan goes on to another order there.
std::vector<char> states_in_need(const Plan& plan, const Samples& samples);

}  // namespace sparsedyn
