// Forces with which a motion obeys what a set states as exact.
#pragma once

#include <vector>

#include "tracking/whole/interval_rows.hpp"

namespace sparsedyn::tracking {

/// z (beside IntervalRows::free_unknowns) with the least forces, these of its entries, under which nothing drives a free base
/// and exact constants hold that depend on these forces, such as a hinge without a motor in a closed loop; at q, v. none:
/// readings, zeros. Offline.
void hold_exact_rows(const System& system, IntervalRows& rows, const std::vector<int>& forces, const double* q, const double* v,
                     const std::vector<double>& none, std::vector<double>& z);

/// Entries of z that are forces of closed loops.
std::vector<int> loop_forces(const System& system, const IntervalRows& rows);

}  // namespace sparsedyn::tracking
