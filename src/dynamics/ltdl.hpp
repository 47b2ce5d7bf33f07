// M = Lᵀ D L without fill: row k of the unit lower triangular L has entries only at the freedoms that carry freedom k
// (Featherstone 2005; 2008, ch. 6.5). λ(k), "the freedom before k", is ws.parent_freedom[k], or -1 at the world.
// Matrices are n × n, row by row.
#pragma once

#include "sparsedyn/code.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// In place: the lower triangle of M becomes L (unit diagonal not stored) and, on the diagonal, D; the upper triangle is
/// not touched. O(n · depth²).
template <class S>
void ltdl_factor(int n, const int* parent, S* M) noexcept {
  for (int k = n - 1; k >= 0; --k) {
    S* row = M + k * n;
    const S inverse = S(1.0) / row[k];
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      const S factor = row[i] * inverse;
      for (int j = i; j >= 0; j = parent[j]) M[i * n + j] = M[i * n + j] - factor * row[j];
      row[i] = factor;
    }
  }
}

/// x ← M⁻¹ x = L⁻¹ D⁻¹ L⁻ᵀ x, x: n. LD: as ltdl_factor leaves it. O(n · depth).
template <class S>
void ltdl_solve(int n, const int* parent, const S* LD, S* x) noexcept {
  for (int k = n - 1; k >= 0; --k)
    for (int j = parent[k]; j >= 0; j = parent[j]) x[j] = x[j] - LD[k * n + j] * x[k];
  for (int k = 0; k < n; ++k) {
    x[k] = x[k] / LD[k * n + k];
    for (int j = parent[k]; j >= 0; j = parent[j]) x[k] = x[k] - LD[k * n + j] * x[j];
  }
}

/// y = M x, x, y: n, not the same array.
template <class S>
void ltdl_product(int n, const int* parent, const S* LD, const S* x, S* y) noexcept {
  for (int k = 0; k < n; ++k) {
    S sum = x[k];
    for (int j = parent[k]; j >= 0; j = parent[j]) sum = sum + LD[k * n + j] * x[j];
    y[k] = LD[k * n + k] * sum;
    for (int j = parent[k]; j >= 0; j = parent[j]) y[j] = y[j] + LD[k * n + j] * y[k];
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
