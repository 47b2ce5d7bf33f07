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

/// Columns of the outputs whose elements may be in any order; no element is in two. In the order of time.
std::vector<WantedColumn> wanted_columns(const IsomorphicOperations& calls, const std::vector<std::vector<Ref>>& results,
                                         const std::vector<bool>& any_order);

}  // namespace sparsedyn
