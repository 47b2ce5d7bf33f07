// Where L and U can be nonzero: the symbolic half of an LU factorisation without pivot search.
#pragma once

#include <stdexcept>
#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// Patterns of L and U by rows, in positions of the order. Row k of L: lower[lower_start[k]] … lower[lower_start[k + 1] - 1],
/// all below k and ascending; row k of U without its diagonal likewise, all above k.
struct Elimination {
  std::vector<int> lower_start, lower;  // of L
  std::vector<int> upper_start, upper;  // of U without its diagonal
  int fill = 0;                         // entries of L + U that the matrix does not have

  /// Unknowns.
  int size() const { return static_cast<int>(lower_start.size()) - 1; }
};

/// An order that meets a pivot which is zero for every state.
struct ZeroPivot : std::domain_error {
  /// Of the k-th pivot of the order, in that column of the pattern.
  ZeroPivot(int at_position, int of_column);
  int position, column;  // as given
};

/// The union of row k of the matrix with the rows of U that it is reduced by (Gustavson 1978), k = 0, 1, …
/// No cancellation is assumed. Cost: as many steps as the factorisation has multiplications.
/// Throws std::invalid_argument for an order that is none, ZeroPivot.
Elimination eliminate(const Pattern& pattern, const Order& order);

}  // namespace sparsedyn
