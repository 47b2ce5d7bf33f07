// Peeling a sparse system: what can be eliminated without any fill, in any case.
#pragma once

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// The part of a square system that substitution alone eliminates, and what is left.
struct Peeled {
  Order order;                     // pivots without fill, in a valid order
  std::vector<int> rows, columns;  // the rest, ascending: every row and column has at least two entries in it (or none)
};

/// Repeats until nothing changes: a row with one unknown left gives that unknown (its column of L is the matrix' column);
/// an unknown left in one row only is found last from that row (its row of U is the matrix' row). Neither changes an entry of
/// the rest. Pivots are structurally nonzero; whether they are far from zero is for pivot health to say.
/// `may_pivot`: entries that may serve (empty: all). Cost: proportional to the entries (Davis, Direct Methods, 2006, §7.3).
Peeled peel_singletons(const Pattern& pattern, const std::vector<char>& may_pivot = {});

}  // namespace sparsedyn
