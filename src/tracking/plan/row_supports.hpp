// Which errors the rows of a step read, as far as the structure tells.
#pragma once

#include <vector>

#include "tracking/layout.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

/// Errors that each row reads, ascending.
using Supports = std::vector<std::vector<int>>;

/// Of the interval's rows, at random states: an entry that is zero at each of them is taken for none.
Supports interval_supports(const WholeLayout& layout, IntervalRows& rows);
/// Of the rows at an interval's end: encoders, feet, poses, and all feet in the air.
Supports end_supports(const WholeLayout& layout);
/// How many numbers say how joints at one end of an interval move the footholds of feet that roll.
long rolling_entries(const WholeLayout& layout);

}  // namespace sparsedyn::tracking
