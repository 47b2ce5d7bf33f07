// Which entries of an inverse follow from which, given where L and U of the matrix can be nonzero.
//
// With the rows and columns in the order of elimination, A = L U, and D, Ũ, L̃ are the pivots, U over its pivots and L with ones
// on its diagonal: U = D Ũ. The inverse Z satisfies
//
//   Ũ Z = D⁻¹ L̃⁻¹,  lower triangular:   z_ij = [i = j] / d_i − Σ_{k > i} ũ_ik z_kj   for i ≤ j
//   Z L̃ = Ũ⁻¹ D⁻¹,  upper triangular:   z_ij = [i = j] / d_j − Σ_{k > j} z_ik l_kj   for i ≥ j
//
// (Takahashi, Fagan & Chin 1973; Erisman & Tinney 1975). So each entry follows from entries below it or right of it: one
// for each entry of row i of U, or of column j of L. Entries where (L + U)ᵀ can be nonzero follow from others of the same
// kind; entries elsewhere ask for a few more. Of a symmetric matrix each entry has an equal one across the diagonal, in other
// places of the order where that does not keep the symmetry: whichever lies further down is computed, since less follows on it.
#pragma once

#include <vector>

#include "sparsedyn/sparse/elimination.hpp"
#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// What unknown `column` of the pattern answers to a unit right-hand side in `row`.
struct InverseEntry {
  int column, row;
};

/// How an entry follows from others.
struct SelectedEntry {
  int i, j;                  // its place in the order
  bool by_upper;             // from row i of U, else from column j of L
  int first_term, end_term;  // in SelectedEntries::terms
};

/// Entries of an inverse, each after those that it follows from. None of them is zero at every state.
struct SelectedEntries {
  struct Term {
    int factor;  // index in Elimination::upper or ::lower
    int entry;   // index in `list`
  };
  std::vector<SelectedEntry> list;
  std::vector<Term> terms;
  std::vector<int> at;  // of each entry wanted: its index in `list`, or -1 where it is zero at every state
};

/// Those that the wanted ones follow from, and these. Cost: proportional to the terms, times a look-up.
SelectedEntries selected_entries(const Pattern& pattern, const Order& order, const Elimination& elimination,
                                 const std::vector<char>& divides_upper, const std::vector<InverseEntry>& wanted);

}  // namespace sparsedyn
