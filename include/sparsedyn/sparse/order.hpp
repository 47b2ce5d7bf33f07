// The order in which a sparse system is eliminated: one permutation of its rows, one of its columns.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// Step k eliminates the unknown columns[k] with the equation rows[k] (indices into the pattern).
struct Order {
  std::vector<int> rows, columns;  // n each
};

/// What keeps `order` from being two permutations of the pattern's rows and columns; empty if nothing does. O(n).
std::string fault(const Order& order, const Pattern& pattern);

}  // namespace sparsedyn
