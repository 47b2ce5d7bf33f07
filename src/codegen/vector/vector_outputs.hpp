// Which elements of a program's outputs are lanes of one vector, so that one instruction can store them.
#pragma once

#include <cstddef>
#include <vector>

#include "isomorphic_operations.hpp"

namespace sparsedyn {

/// Elements of an output, each with the lane of `vector` that it is (`negative`: its opposite).
struct WantedColumn {
  int port;
  VectorRefs vector;
  bool negative;
  std::vector<int> elements, lanes;
  std::size_t time;
};

/// Columns of those outputs whose elements may be in any order, in the order of time. No element is in two columns.
std::vector<WantedColumn> wanted_columns(const IsomorphicOperations& calls, const std::vector<std::vector<Ref>>& results,
                                         const std::vector<bool>& any_order);

}  // namespace sparsedyn
