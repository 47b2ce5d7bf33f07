// The same matrix in other units, and moved by roundings: how far that moves a result tells how many of its digits the
// arithmetic has left.
//
// Roundings alone do not tell it: where a large number takes up a small one and is taken off again, what is left of the small
// one depends on how it lies between two neighbours of the large one, and there it stays when both are moved by few roundings.
// Other units D A D, with D from 1/2 to 2, let it lie anywhere. The inverse is then D⁻¹ Z D⁻¹.
#pragma once

#include <vector>

#include "sparsedyn/sparse/lu_program.hpp"
#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

struct MovedEntries {
  /// Of each entry: d_i d_j · (1 ± 2 to 4 ε), equal across the diagonal of a symmetric matrix.
  std::vector<double> factor;
  /// d of each row i, and of the column that is its partner. All 1 where the pattern is not symmetric.
  std::vector<double> unit;
};

/// Always the same ones for a seed. unit: which entries are ±1 at every state; these keep their unit, since programs count on
/// it.
MovedEntries moved_entries(const Pattern& pattern, const UnitEntries& unit, unsigned seed);

}  // namespace sparsedyn
