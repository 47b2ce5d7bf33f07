#pragma once

#include "sparsedyn/sparse/detail/health.hpp"

namespace sparsedyn {

/// As measure_health, but no further than to a state whose backward error is not healthy and reaches `hopeless`.
Health bounded_health(const Plan& plan, const Samples& samples, double hopeless);

}  // namespace sparsedyn
