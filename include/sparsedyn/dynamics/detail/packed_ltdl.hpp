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

#include "sparsedyn/detail/code.hpp"
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

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Whether pivot D_i may be nothing but the rounding of M. D_i = wᵀ M w, where w is the motion of the freedoms that i carries
/// when i moves by one and nothing drives them: L w = 0 below i. Rounding of M_jk, of about ε √(s_j s_k) and of either sign,
/// s: sizes, changes D_i by wᵀ δM w, of about ε Σ s_j w_j². L, in `row`: of all below i. w: as long as s. O(n · depth).
template <class S>
bool is_rounding(const BranchRows& rows, int i, const S* row, const S& pivot, const S* s, S* w) {
  double sum = 0;
  w[i] = S(1.0);
  for (int k = i + 1; k < rows.n(); ++k) {
    if (!rows.carries(i, k)) continue;
    const S* const L = row + rows.first(k);
    w[k] = S(0.0);
    for (int e = rows.depth(i); e < rows.depth(k); ++e) w[k] = w[k] - L[e] * w[rows.path(k)[e]];
    sum += Magnitude<S>::of(s[k]) * Magnitude<S>::of(w[k]) * Magnitude<S>::of(w[k]);
  }
  return is_singular_pivot(pivot, s[i]) || is_within_rounding(pivot, sum);
}

/// The first of the freedoms k, k − 1, … 0 whose pivot may be nothing but rounding, or -1. Apart, so that what seldom runs
/// leaves the compiler's hands free where it is asked for.
template <class S>
[[gnu::cold, gnu::noinline]] int first_rounding(const BranchRows& rows, int k, const S* row, const S* inverse_pivot, const S* s,
                                                S* w) {
  while (k >= 0 && !is_rounding(rows, k, row, S(S(1.0) / inverse_pivot[k]), s, w)) --k;
  return k;
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// Allocated once for a tree. row(k) first takes the entries of M, M(k, path(k)[e]) at e, and size(k) what the last is summed
/// from; factor() leaves L there.
template <class S>
class PackedLtdl {
 public:
  explicit PackedLtdl(const std::vector<int>& parent)
      : rows_(parent),
        values_(rows_.size(), S(0.0)),
        scaled_(rows_.longest(), S(0.0)),
        size_(rows_.n(), S(0.0)),
        motion_(size_),
        inverse_pivot_(size_) {}
  const BranchRows& rows() const { return rows_; }
  S* row(int k) { return values_.data() + rows_.first(k); }
  const S* row(int k) const { return values_.data() + rows_.first(k); }
  /// The size of the terms of M_kk, whose rounding is no pivot.
  S& size(int k) { return size_[k]; }
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

  /// Returns the freedom, the nearest to the tips, whose pivot is no larger than the rounding of what it is made from; -1 if
  /// none is. Looks closer from the first small pivot on: what it divides is enlarged in all that carry it. O(n · depth²).
  [[gnu::always_inline]] int factor() noexcept {
    const int* const first = rows_.first();
    S *const values = values_.data(), *const L = scaled_.data();
    [[maybe_unused]] int small = -1;
    for (int k = rows_.n() - 1; k >= 0; --k) {
      S* const own = values + first[k];
      const int depth = rows_.depth(k), *const path = rows_.path(k);
      if constexpr (Magnitude<S>::exists)
        if (small < 0 && is_small_pivot(own[depth], size_[k])) small = k;
      const S inverse = inverse_pivot_[k] = S(1.0) / own[depth];
      // row(i)[0 … e] −= L_ki (D L)_k[0 … e] for i = path[e]; and up to three beyond, of no use to anyone
      for (int e = depth - 1; e >= 0; --e) {
        S* const up = values + first[path[e]];
        const S factor = L[e] = inverse * own[e];
        for (int c = 0; c <= e; c += 4) store(load<4>(up + c) - factor * load<4>(own + c), up + c);
      }
      for (int e = 0; e < depth; ++e) own[e] = L[e];
    }
    if constexpr (Magnitude<S>::exists)
      if (small >= 0) return detail::first_rounding(rows_, small, values, inverse_pivot_.data(), size_.data(), motion_.data());
    return -1;
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
        simd<S, 8 * W> sum(S(0.0));
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
  std::vector<S> size_, motion_, inverse_pivot_;
};

}  // namespace sparsedyn
