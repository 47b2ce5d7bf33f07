// Entries moved by roundings: how far that moves a result tells how many of its digits the arithmetic has left.
#pragma once

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// A factor for each entry of the pattern, 1 ± 2 to 4 ε, equal across the diagonal of a symmetric matrix. Always the same ones.
std::vector<double> factors_of_rounding(const Pattern& pattern);

}  // namespace sparsedyn
