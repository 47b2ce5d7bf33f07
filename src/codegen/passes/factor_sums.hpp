// Fewer operations by the distributive and associative laws, where values are used once.
#pragma once

#include <vector>

#include "sparsedyn/codegen/graph.hpp"

namespace sparsedyn {

/// Records `results` of `graph` anew in `fresh`, an empty graph, and returns them there. Each sum is taken apart into products
/// that serve nothing else, and put together again with fewer operations: two terms whose sum exists already become that sum;
/// terms with a common factor x become x (…); c (a + b) + d (a − b) with constants c and d becomes (c + d) (a − b) + 2 c b.
/// Deterministic.
std::vector<std::vector<Ref>> factor_sums(const Graph& graph, const std::vector<std::vector<Ref>>& results, Graph& fresh);

}  // namespace sparsedyn
