// Forces of closed loops that no reading tells.
#pragma once

#include <string>
#include <vector>

#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

/// Unknowns `lambda.NAME.C` that take part in a direction of forces on which no row of an interval depends: across the plane of
/// a linkage, between loops that pull against each other, or all of them where nothing reads torques. Such a force stays at its
/// prior. At several postures that close the loops, of these where the rows tell as much as anywhere: a linkage that is
/// stretched tells less for an instant. Offline.
std::vector<std::string> unseen_loop_forces(const WholeLayout& layout, IntervalRows& rows);

}  // namespace sparsedyn::tracking
