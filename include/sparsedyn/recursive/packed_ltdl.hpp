// M = Lᵀ D L of ltdl.hpp in packed rows. Row k of L has entries at the freedoms that carry freedom k alone, one at each depth
// from the world to k; kept by depth, the rows of all freedoms of a branch agree, and every inner loop runs over neighbours in
// memory instead of following the tree.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/recursive/padded_rows.hpp"
#include "sparsedyn/scalar_traits.hpp"

namespace sparsedyn {

/// Where the rows are, for a tree given by the freedom before each (or -1): Workspace::parent_freedom.
class BranchRows {
 public:
  explicit BranchRows(const std::vector<int>& parent) : n_(static_cast<int>(parent.size())), depth_(n_), first_(n_ + 1) {
    for (int k = 0; k < n_; ++k) {
      depth_[k] = parent[k] < 0 ? 0 : depth_[parent[k]] + 1;
      first_[k + 1] = first_[k] + (depth_[k] + 4) / 4 * 4;
    }
    path_.resize(first_[n_], -1);
    for (int k = 0; k < n_; ++k)
      for (int j = k; j >= 0; j = parent[j]) path_[first_[k] + depth_[j]] = j;
  }
  int n() const { return n_; }
  /// Numbers in all rows, each row padded to a multiple of four.
  int size() const { return first_[n_]; }
  int first(int k) const { return first_[k]; }
  /// Freedoms between the world and k: row k has depth(k) + 1 entries, the last on the diagonal.
  int depth(int k) const { return depth_[k]; }
  /// The freedoms of row k, from the world to k.
  const int* path(int k) const { return path_.data() + first_[k]; }
  bool carries(int j, int k) const { return depth_[j] <= depth_[k] && path(k)[depth_[j]] == j; }

 private:
  int n_;
  std::vector<int> depth_, first_, path_;
};

/// Allocated once for a tree. row(k) first takes the entries of M, M(k, path(k)[e]) at e; factor() leaves L there.
template <class S>
class PackedLtdl {
 public:
  explicit PackedLtdl(const std::vector<int>& parent)
      : rows_(parent), values_(rows_.size(), S(0.0)), inverse_pivot_(rows_.n(), S(0.0)) {}
  const BranchRows& rows() const { return rows_; }
  S* row(int k) { return values_.data() + rows_.first(k); }
  const S* row(int k) const { return values_.data() + rows_.first(k); }
  /// 1 / D_kk.
  const S& inverse_pivot(int k) const { return inverse_pivot_[k]; }

  /// To be called before new entries are written into the rows: what lies beyond the diagonals is zero then, and stays finite.
  void clear() noexcept { std::fill(values_.begin(), values_.end(), S(0.0)); }
  /// Entries from M (n × n, row by row).
  void take(const S* M) noexcept {
    clear();
    for (int k = 0; k < rows_.n(); ++k)
      for (int e = 0; e <= rows_.depth(k); ++e) row(k)[e] = M[k * rows_.n() + rows_.path(k)[e]];
  }

  /// Returns the freedom, the nearest to the tips, whose pivot is no larger than the rounding of M's diagonal; -1 if none is.
  /// O(n · depth²).
  int factor() noexcept {
    for (int k = 0; k < rows_.n(); ++k) inverse_pivot_[k] = row(k)[rows_.depth(k)];  // M's diagonal, for now
    int singular = -1;
    for (int k = rows_.n() - 1; k >= 0; --k) {
      S* own = row(k);
      const int depth = rows_.depth(k);
      if (singular < 0 && is_singular_pivot(own[depth], inverse_pivot_[k])) singular = k;
      inverse_pivot_[k] = S(1.0) / own[depth];
      for (int e = depth - 1; e >= 0;
           --e) {  // row(i)[0 … e] −= L_ki row(k)[0 … e]; and up to three beyond, of no use to anyone
        S* up = row(rows_.path(k)[e]);
        const S factor = own[e] * inverse_pivot_[k];
        for (int c = 0; c <= e; c += 4) store(load(up + c) - factor * load(own + c), up + c);
        own[e] = factor;
      }
    }
    return singular;
  }

  /// x ← M⁻¹ x = L⁻¹ D⁻¹ L⁻ᵀ x, x: n. O(n · depth).
  void solve(S* x) const noexcept {
    for (int k = rows_.n() - 1; k >= 0; --k)
      for (int e = 0; e < rows_.depth(k); ++e) x[rows_.path(k)[e]] = x[rows_.path(k)[e]] - row(k)[e] * x[k];
    for (int k = 0; k < rows_.n(); ++k) {
      S sum = inverse_pivot_[k] * x[k];
      for (int e = 0; e < rows_.depth(k); ++e) sum = sum - row(k)[e] * x[rows_.path(k)[e]];
      x[k] = sum;
    }
  }

  /// M⁻¹, n × n row by row, symmetric, all entries written. From L M⁻¹ = D⁻¹ L⁻ᵀ, whose right side is upper triangular with
  /// diagonal D⁻¹, row k of M⁻¹ left of the diagonal is −Σ_j L_kj (row j), j over the freedoms that carry k (Takahashi, Fagan &
  /// Chin 1973). O(n² · depth).
  void inverse(S* X) const noexcept {
    const int n = rows_.n();
    std::fill(X, X + n * n, S(0.0));
    for (int k = 0; k < n; ++k) {
      S* own = X + k * n;
      int c = 0;
      for (; c + 16 <= k; c += 16) store(minus_rows<4>(k, X + c), own + c);
      for (; c + 8 <= k; c += 8) store(minus_rows<2>(k, X + c), own + c);
      for (; c < k; c += 4) {
        const Block<S, 1> four = minus_rows<1>(k, X + c);
        for (int i = 0; i < 4 && c + i < k; ++i) own[c + i] = four.e[0][i];
      }
      S diagonal = inverse_pivot_[k];
      for (int e = 0; e < rows_.depth(k); ++e) diagonal = diagonal - row(k)[e] * own[rows_.path(k)[e]];
      own[k] = diagonal;
      for (c = 0; c < k; ++c) X[c * n + k] = own[c];
    }
  }

 private:
  /// −Σ_j L_kj (4 W numbers of row j of X).
  template <int W>
  Block<S, W> minus_rows(int k, const S* X) const noexcept {
    const int n = rows_.n(), depth = rows_.depth(k);
    const int* path = rows_.path(k);
    const S* L = row(k);
    Block<S, W> sum = zero_block<S, W>();
    for (int e = 0; e < depth; ++e) subtract(L[e], X + path[e] * n, sum);
    return sum;
  }

  BranchRows rows_;
  std::vector<S> values_, inverse_pivot_;
};

}  // namespace sparsedyn
