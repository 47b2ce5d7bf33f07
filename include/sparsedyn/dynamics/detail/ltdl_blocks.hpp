// −M⁻¹ B, block after block of columns, with the sparse factors of M; and products of padded matrices.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/packed_ltdl.hpp"

namespace sparsedyn {

/// Which rows each row takes from when L⁻ᵀ and then L⁻¹ are applied to columns that belong to freedoms, over and over, as
/// those of [∂τ/∂q | ∂τ/∂v] do: an entry (k, c) that is zero unless k and c lie on one branch is zero in L⁻ᵀ B too, so that
/// L⁻ᵀ skips most rows. Steps are in the order in which the rows are ready, the latest last.
class SolveSteps {
 public:
  /// "Subtract entry `factor` of the factors times the row that begins at `row`".
  struct Step {
    int row, factor;
  };
  struct Range {
    const Step *first, *last;
    const Step* begin() const { return first; }
    const Step* end() const { return last; }
  };

  /// For PaddedRows with `stride` numbers a row, in `blocks` blocks, of which the first `columns` count.
  SolveSteps(const BranchRows& rows, int columns, int blocks, int stride) : n_(rows.n()) {
    const int width = stride / blocks;
    starts_.push_back(0);
    const auto on_one_branch = [&](int k, int c) { return rows.carries(c, k) || rows.carries(k, c); };
    for (int b = 0; b < blocks; ++b)
      for (int j = 0; j < n_; ++j) {
        for (int k = n_ - 1; k > j; --k) {
          bool matters = false;
          for (int c = b * width; c < std::min(columns, (b + 1) * width); ++c) matters = matters || on_one_branch(k, c % n_);
          if (matters && rows.carries(j, k)) steps_.push_back({k * stride, rows.first(k) + rows.depth(j)});
        }
        starts_.push_back(static_cast<int>(steps_.size()));
      }
    above_ = blocks * n_;
    for (int k = 0; k < n_; ++k) {
      for (int e = 0; e < rows.depth(k); ++e) steps_.push_back({rows.path(k)[e] * stride, rows.first(k) + e});
      starts_.push_back(static_cast<int>(steps_.size()));
    }
  }
  /// Rows below j that L⁻ᵀ needs in a block.
  Range below(int block, int j) const { return range(block * n_ + j); }
  /// Rows above k, for L⁻¹.
  Range above(int k) const { return range(above_ + k); }

 private:
  Range range(int i) const { return {steps_.data() + starts_[i], steps_.data() + starts_[i + 1]}; }
  int n_, above_;
  std::vector<int> starts_;
  std::vector<Step> steps_;
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// W eights of columns of the b-th block, from its column `first` on.
template <int W, class S>
void minus_solve_piece(const PackedLtdl<S>& factors, const SolveSteps& steps, int b, int first, const PaddedRows<S>& B,
                       PaddedRows<S>& X) noexcept {
  const int n = factors.rows().n();
  const S *const L = factors.row(0), *const piece = X.row(0, b) + first;
  const auto take = [&](const SolveSteps::Range& range, simd<S, 8 * W>& own) {
    for (const SolveSteps::Step& step : range) subtract(L[step.factor], piece + step.row, own);
  };
  for (int j = n - 1; j >= 0; --j) {
    simd<S, 8 * W> own = load<8 * W>(B.row(j, b) + first);
    take(steps.below(b, j), own);
    store(own, X.row(j, b) + first);
  }
  for (int k = 0; k < n; ++k) {
    simd<S, 8 * W> own = S(-factors.inverse_pivot(k)) * load<8 * W>(X.row(k, b) + first);
    take(steps.above(k), own);
    store(own, X.row(k, b) + first);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// X = −M⁻¹ B = −L⁻¹ D⁻¹ L⁻ᵀ B, n rows each. O(n · columns · depth), no heap.
template <class S>
void minus_solve(const PackedLtdl<S>& factors, const SolveSteps& steps, const PaddedRows<S>& B, PaddedRows<S>& X) noexcept {
  for (int from = 0; from < X.width(); from += widest_block)
    with_width(std::min(X.width() - from, widest_block), [&](auto width) {
      for (int b = 0; b < X.blocks(); ++b) detail::minus_solve_piece<width.value>(factors, steps, b, 8 * from, B, X);
    });
}

}  // namespace SPARSEDYN_CODE

/// For each eight columns of a matrix whose entry (k, c) may differ from zero only where `entry(k, c)`: the rows that matter.
class ColumnGroups {
 public:
  static constexpr int width = 8;
  template <class Entry>
  ColumnGroups(int rows, int columns, Entry&& entry) {
    for (int first = 0; first < columns; first += width) {
      first_.push_back(static_cast<int>(rows_.size()));
      for (int k = 0; k < rows; ++k)
        for (int c = first; c < std::min(columns, first + width); ++c)
          if (entry(k, c)) {
            rows_.push_back(k);
            break;
          }
    }
    first_.push_back(static_cast<int>(rows_.size()));
  }
  int groups() const { return static_cast<int>(first_.size()) - 1; }
  const int* begin(int group) const { return rows_.data() + first_[group]; }
  const int* end(int group) const { return rows_.data() + first_[group + 1]; }

 private:
  std::vector<int> first_, rows_;
};

inline namespace SPARSEDYN_CODE {

/// C = −A B, A n × n, B with the given pattern. Four rows of C by eight columns stay in registers.
template <class S>
void minus_product(int n, const PaddedRows<S>& A, const PaddedRows<S>& B, const ColumnGroups& pattern,
                   PaddedRows<S>& C) noexcept {
  const S o(0.0);
  for (int g = 0; g < pattern.groups(); ++g) {
    const int c = g * ColumnGroups::width;
    for (int i = 0; i < n; i += 4) {
      const S* rows[4] = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
      simd<S, 8> own[4] = {simd<S, 8>(o), simd<S, 8>(o), simd<S, 8>(o), simd<S, 8>(o)};
      for (const int* k = pattern.begin(g); k != pattern.end(g); ++k) {
        const simd<S, 8> b = load<8>(B.row(*k) + c);
        for (int r = 0; r < 4; ++r) own[r] = own[r] - rows[r][*k] * b;
      }
      for (int r = 0; r < 4; ++r) store(own[r], C.row(i + r) + c);
    }
  }
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
