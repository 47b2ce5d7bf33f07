// The operation count behind the published figures, and an honest one, on the same matrix in the same order.
#pragma once

#include "published_chain.hpp"

namespace sparsedyn::reproduce {

struct MulAdd {
  long mul = 0, add = 0;
  long total() const { return mul + add; }
};

/// LU of A as it stands, by the rule of the experiments' lu_cost and fb_cost. A pivot with l entries below it and u beside it
/// takes l·u products, one for each pair. The rule forms the entrywise product of the column below with the row beside it, so
/// that only the |I| ≤ min(l, u) pairs of equal index are seen: add += |I|; mul += l + |I|. Products by ±1 were to be left out,
/// but what is subtracted is how many factors differ from 1, plus how many differ from −1, of both: for numbers that are
/// neither that takes off 4 |I|, so that a pivot contributes l − 3 |I| multiplications. `without_units`: with that subtraction
/// (the version that drew the figures), or without.
MulAdd published_lu_count(const NumericMatrix& A, bool without_units);

/// What the same LU executes: l scalings and l·u products and sums a pivot, then both triangular solves. Products by exact ±1
/// are left out, as the published count means to.
MulAdd honest_lu_count(const NumericMatrix& A);

}  // namespace sparsedyn::reproduce
