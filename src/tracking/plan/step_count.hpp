// Operations of a step on its covariance, as Gaussian executes them.
#pragma once

#include "sparsedyn/sparse/flops.hpp"
#include "tracking/plan/row_supports.hpp"

namespace sparsedyn::tracking {

/// Of rows that are taken one after the other, in the order (indices of supports). alone: by error, whether it is independent
/// of all others before.
Flops rows_count(const Supports& supports, const std::vector<int>& order, std::vector<char> alone);
/// Of carrying the covariance over an interval.
Flops carry_count(const WholeLayout& layout);
/// Of a step of kinematic rows: carrying, and the rows of feet and poses.
Flops carry_count(const Layout& layout);
Flops rows_count(const Layout& layout);

}  // namespace sparsedyn::tracking
