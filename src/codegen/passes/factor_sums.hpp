// Fewer operations by the distributive and associative laws, where values are used once.
#pragma once

#include <vector>

#include "sparsedyn/codegen/detail/graph.hpp"

namespace sparsedyn {

/// Records in `fresh`, an empty graph, what `results` of `graph` need, and returns them there. Sums are taken apart down to
/// products, as far as these serve nothing else, and put together anew: pairs of terms whose sum exists become that sum, terms
/// with a common factor x become x (…), and c (a + b) + d (a − b) with constants c and d becomes (c + d) (a − b) + 2 c b.
/// Deterministic.
std::vector<std::vector<Ref>> factor_sums(const Graph& graph, const std::vector<std::vector<Ref>>& results, Graph& fresh);

}  // namespace sparsedyn
