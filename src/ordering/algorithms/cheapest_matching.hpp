// Rows matched to columns so that the product of the entries met is largest.
#pragma once

#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// Column of each of `rows`, no column twice, with the least sum of costs; -1 for rows that find none. cost: of each entry, at
/// least 0, infinite where it may not be taken. With cost = −log|entry| the product is largest (MC64: Duff & Koster, SIAM J.
/// Matrix Anal. 22, 2001). Shortest augmenting paths, O(rows · entries · log).
std::vector<int> cheapest_matching(const Pattern& pattern, const std::vector<int>& rows, const std::vector<double>& cost);

}  // namespace sparsedyn
