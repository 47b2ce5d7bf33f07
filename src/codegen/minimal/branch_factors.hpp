// Joint-space inertia matrices by their lower triangle, and their factors M = LᵀDL along the branches of the tree, which fill
// nothing in (Featherstone 2005). For recorded programs; sizes and allocation are no concern.
#pragma once

#include <utility>
#include <vector>

namespace sparsedyn {

/// A symmetric matrix whose entry (i, j) is structurally zero unless one of i, j is the other or above it.
template <class S>
struct JointSpaceMatrix {
  std::vector<int> parent;            // freedom before this one on the way to the base, or -1
  std::vector<std::vector<S>> lower;  // lower[i][j], j <= i
};

/// L: unit lower triangle by rows; inverse: of D.
template <class S>
struct BranchFactors {
  std::vector<int> parent;
  std::vector<std::vector<S>> L;
  std::vector<S> inverse;
};

template <class S>
BranchFactors<S> branch_factors(JointSpaceMatrix<S> M) {
  const std::vector<int>& parent = M.parent;
  std::vector<std::vector<S>>& A = M.lower;
  std::vector<S> inverse(A.size());
  for (std::size_t k = A.size(); k-- > 0;) {
    const std::vector<S> row = A[k];
    inverse[k] = S(1.0) / row[k];
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      A[k][i] = row[i] * inverse[k];
      for (int j = i; j >= 0; j = parent[j]) A[i][j] = A[i][j] - A[k][i] * row[j];
    }
  }
  return {parent, A, inverse};
}

/// L⁻ᵀ x: each freedom passes its share on to those before it. The zeros of the tree stay.
template <class S>
std::vector<S> branch_reduced(const BranchFactors<S>& F, std::vector<S> x) {
  for (std::size_t k = x.size(); k-- > 0;)
    for (int i = F.parent[k]; i >= 0; i = F.parent[i]) x[i] = x[i] - F.L[k][i] * x[k];
  return x;
}

/// M⁻¹ x.
template <class S>
std::vector<S> branch_solve(const BranchFactors<S>& F, std::vector<S> x) {
  x = branch_reduced(F, std::move(x));
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = x[k] * F.inverse[k];
    for (int i = F.parent[k]; i >= 0; i = F.parent[i]) x[k] = x[k] - F.L[k][i] * x[i];
  }
  return x;
}

/// M⁻¹ in full: column by column, only the part below the unit's own branch eliminated.
template <class S>
std::vector<std::vector<S>> branch_inverse(const BranchFactors<S>& F) {
  const std::size_t n = F.inverse.size();
  std::vector<std::vector<S>> X(n, std::vector<S>(n));
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<S> unit(n, S(0.0));
    unit[c] = S(1.0);
    const std::vector<S> x = branch_solve(F, unit);
    for (std::size_t r = 0; r < n; ++r) X[r][c] = x[r];
  }
  return X;
}

}  // namespace sparsedyn
