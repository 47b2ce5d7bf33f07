#include "published_count.hpp"

#include <cmath>

namespace sparsedyn::reproduce {
namespace {

/// Indices after k of the nonzeros below a pivot and beside it, after the column was divided by the pivot.
struct Cross {
  std::vector<int> below, beside;
};

/// Eliminates A in place (L below the diagonal, U above) and shows every cross to `visit` before its products are formed.
template <class Visit>
void eliminate_showing(NumericMatrix& A, Visit&& visit) {
  for (int k = 0; k < A.n; ++k) {
    Cross cross;
    for (int i = k + 1; i < A.n; ++i) {
      if (A.at(i, k) != 0) cross.below.push_back(i), A.at(i, k) /= A.at(k, k);
      if (A.at(k, i) != 0) cross.beside.push_back(i);
    }
    visit(k, cross);
    for (int r : cross.below)
      for (int c : cross.beside) A.at(r, c) -= A.at(r, k) * A.at(k, c);
  }
}

/// Entries off the diagonal of L + U: one product and one sum each in the solves.
long off_diagonal(const NumericMatrix& LU) {
  long count = 0;
  for (int r = 0; r < LU.n; ++r)
    for (int c = 0; c < LU.n; ++c) count += r != c && LU.at(r, c) != 0;
  return count;
}

bool is_unit(double x) { return std::abs(x) == 1; }

}  // namespace

MulAdd published_lu_count(const NumericMatrix& matrix, bool without_units) {
  NumericMatrix A = matrix;
  MulAdd count;
  eliminate_showing(A, [&](int k, const Cross& cross) {
    count.mul += static_cast<long>(cross.below.size());
    for (int i : cross.below) {
      if (A.at(k, i) == 0) continue;
      ++count.mul, ++count.add;
      if (!without_units) continue;
      for (double factor : {A.at(i, k), A.at(k, i)}) count.mul -= (factor != 1) + (factor != -1);
    }
  });
  // fb_cost: every stored entry of L and of U, their diagonals too, and a sum for every entry of b and of L⁻¹b (taken as full)
  const long off = off_diagonal(A);
  count.mul += off + 2L * A.n;
  count.add += off + 2L * A.n;
  return count;
}

MulAdd honest_lu_count(const NumericMatrix& matrix) {
  NumericMatrix A = matrix;
  MulAdd count;
  eliminate_showing(A, [&](int k, const Cross& cross) {
    long below = 0, beside = 0;
    for (int r : cross.below) below += !is_unit(A.at(r, k));
    for (int c : cross.beside) beside += !is_unit(A.at(k, c));
    if (!is_unit(A.at(k, k))) count.mul += static_cast<long>(cross.below.size());
    count.mul += below * beside;
    count.add += static_cast<long>(cross.below.size() * cross.beside.size());
  });
  for (int r = 0; r < A.n; ++r)
    for (int c = 0; c < A.n; ++c) {
      const double x = A.at(r, c);
      if (x == 0) continue;
      count.mul += !is_unit(x);  // off the diagonal a product, on it the division by a pivot
      count.add += r != c;
    }
  return count;
}

}  // namespace sparsedyn::reproduce
