// M = Lᵀ D L of ltdl.hpp in packed rows. Row k of L has entries at the freedoms that carry freedom k alone, one at each depth
// from the world to k; kept by depth, the rows of all freedoms of a branch agree, and every inner loop runs over neighbours in
// memory instead of following the tree. What calculates is always inlined: a class that library and user share has no functions
// under one name in both (code.hpp).
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/dynamics/detail/padded_rows.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"

namespace sparsedyn {

/// Where the rows are, for a tree given by the freedom before each (or -1): Workspace::parent_freedom. Throws std::length_error
/// where they hold more than 2³¹ numbers: 65,000 freedoms in a row.
class BranchRows {
 public:
  explicit BranchRows(const std::vector<int>& parent) : n_(static_cast<int>(parent.size())), depth_(n_), first_(n_ + 1) {
    for (int k = 0; k < n_; ++k) {
      depth_[k] = parent[k] < 0 ? 0 : depth_[parent[k]] + 1;
      if (first_[k] > std::numeric_limits<int>::max() - padded(depth_[k] + 1))
        throw std::length_error("too many freedoms in a row for the factors of M: " + std::to_string(depth_[k] + 1));
      first_[k + 1] = first_[k] + padded(depth_[k] + 1);
    }
    path_.resize(first_[n_], -1);
    for (int k = 0; k < n_; ++k)
      for (int j = k; j >= 0; j = parent[j]) path_[first_[k] + depth_[j]] = j;
  }
  int n() const { return n_; }
  /// Numbers in all rows, each row padded to a multiple of eight.
  int size() const { return first_[n_]; }
  int first(int k) const { return first_[k]; }
  const int* first() const { return first_.data(); }
  /// Numbers in the longest row, with its padding.
  int longest() const { return n_ == 0 ? 0 : padded(*std::max_element(depth_.begin(), depth_.end()) + 1); }
  /// Freedoms between the world and k: row k has depth(k) + 1 entries, the last on the diagonal.
  int depth(int k) const { return depth_[k]; }
  /// The freedoms of row k, from the world to k.
  const int* path(int k) const { return path_.data() + first_[k]; }
  bool carries(int j, int k) const { return depth_[j] <= depth_[k] && path(k)[depth_[j]] == j; }

 private:
  static int padded(int entries) { return (entries + 7) / 8 * 8; }
  int n_;
  std::vector<int> depth_, first_, path_;
};

/// Allocated once for a tree. row(k) first takes the entries of M, M(k, path(k)[e]) at e, and size(k) what the last is summed
/// from; factor() leaves L there.
template <class S>
class PackedLtdl {
 public:
  explicit PackedLtdl(const std::vector<int>& parent)
      : rows_(parent), values_(rows_.size(), S(0.0)), scaled_(rows_.longest(), S(0.0)), inverse_pivot_(rows_.n(), S(0.0)) {}
  const BranchRows& rows() const { return rows_; }
  S* row(int k) { return values_.data() + rows_.first(k); }
  const S* row(int k) const { return values_.data() + rows_.first(k); }
  /// The size of the terms of M_kk, whose rounding is no pivot.
  S& size(int k) { return inverse_pivot_[k]; }
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

  /// Returns the freedom, the nearest to the tips, whose pivot is no larger than the rounding of its size; -1 if none is.
  /// O(n · depth²).
  [[gnu::always_inline]] int factor() noexcept {
    const int* const first = rows_.first();
    S *const values = values_.data(), *const L = scaled_.data();
    int singular = -1;
    for (int k = rows_.n() - 1; k >= 0; --k) {
      S* const own = values + first[k];
      const int depth = rows_.depth(k), *const path = rows_.path(k);
      if (singular < 0 && is_singular_pivot(own[depth], size(k))) singular = k;
      const S inverse = inverse_pivot_[k] = S(1.0) / own[depth];
      // row(i)[0 … e] −= L_ki (D L)_k[0 … e] for i = path[e]; and up to three beyond, of no use to anyone
      for (int e = depth - 1; e >= 0; --e) {
        S* const up = values + first[path[e]];
        const S factor = L[e] = inverse * own[e];
        for (int c = 0; c <= e; c += 4) store(load(up + c) - factor * load(own + c), up + c);
      }
      for (int e = 0; e < depth; ++e) own[e] = L[e];
    }
    return singular;
  }

  /// x ← M⁻¹ x = L⁻¹ D⁻¹ L⁻ᵀ x, x: n. O(n · depth).
  [[gnu::always_inline]] void solve(S* x) const noexcept {
    for (int k = rows_.n() - 1; k >= 0; --k) {
      const S *const L = row(k), xk = x[k];
      const int depth = rows_.depth(k), *const path = rows_.path(k);
      for (int e = 0; e < depth; ++e) x[path[e]] = x[path[e]] - L[e] * xk;
    }
    for (int k = 0; k < rows_.n(); ++k) {
      const S* const L = row(k);
      const int depth = rows_.depth(k), *const path = rows_.path(k);
      S sum = inverse_pivot_[k] * x[k];
      for (int e = 0; e < depth; ++e) sum = sum - L[e] * x[path[e]];
      x[k] = sum;
    }
  }

  /// M⁻¹, n × n in padded rows, symmetric, all entries written. From L M⁻¹ = D⁻¹ L⁻ᵀ, whose right side is upper triangular with
  /// diagonal D⁻¹, row k of M⁻¹ left of the diagonal is −Σ_j L_kj (row j), j over the freedoms that carry k (Takahashi, Fagan &
  /// Chin 1973); right of it stand, for a while, numbers of no meaning. O(n² · depth).
  [[gnu::always_inline]] void inverse(PaddedRows<S>& X) const noexcept {
    with_width(X.width() <= widest_block ? X.width() : 1, [&](auto width) { inverse_rows(X, width); });
  }

 private:
  template <int W>
  [[gnu::always_inline]] void inverse_rows(PaddedRows<S>& X, std::integral_constant<int, W>) const noexcept {
    const int stride = X.stride();
    S* const first = X.row(0);
    for (int k = 0; k < rows_.n(); ++k) {
      const S* const L = row(k);
      const int depth = rows_.depth(k), *const path = rows_.path(k);
      S* const own = first + k * stride;
      for (int c = 0; c < k; c += 8 * W) {
        Block<S, W> sum = zero_block<S, W>();
        for (int e = 0; e < depth; ++e) subtract(L[e], first + path[e] * stride + c, sum);
        store(sum, own + c);
      }
      S diagonal = inverse_pivot_[k];
      for (int e = 0; e < depth; ++e) diagonal = diagonal - L[e] * own[path[e]];
      own[k] = diagonal;
      for (int c = 0; c < k; ++c) first[c * stride + k] = own[c];
    }
  }

  BranchRows rows_;
  std::vector<S, CacheLineAllocator<S>> values_, scaled_;
  std::vector<S> inverse_pivot_;  // before factor(): sizes
};

}  // namespace sparsedyn
