// The units in which the equations of a small robot are those of one of a metre and a kilogram.
#pragma once

#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Powers of two near what is of order one of each unknown (one_of), so that numbers in these units keep their digits. All 1
/// where no unit is below a thousandth of the SI's: orders and judgements of such robots need no other units. O(unknowns).
std::vector<double> natural_scale(const System& system);

}  // namespace sparsedyn
