// −M⁻¹ B, block after block of columns, with the sparse factors of M or with M⁻¹ itself.
#pragma once

#include <algorithm>

#include "sparsedyn/recursive/packed_ltdl.hpp"

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

  /// For PaddedRows with `stride` numbers a row, in `blocks` blocks of `width` columns, of which the first `columns` count.
  SolveSteps(const BranchRows& rows, int columns, int blocks, int width, int stride) : n_(rows.n()) {
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

/// X = −M⁻¹ B = −L⁻¹ D⁻¹ L⁻ᵀ B, n rows each. O(n · columns · depth), no heap.
template <class S>
void minus_solve(const PackedLtdl<S>& factors, const SolveSteps& steps, const PaddedRows<S>& B, PaddedRows<S>& X) noexcept {
  constexpr int W = PaddedRows<S>::vectors;
  const int n = factors.rows().n();
  const S* const L = factors.row(0);
  for (int b = 0; b < X.blocks(); ++b) {
    const S* const block = X.row(0, b);
    const auto take = [&](const SolveSteps::Range& range, Block<S, W>& own) {
      for (const SolveSteps::Step& step : range) subtract(L[step.factor], block + step.row, own);
    };
    for (int j = n - 1; j >= 0; --j) {
      Block<S, W> own = load_block<W>(S(1.0), B.row(j, b));
      take(steps.below(b, j), own);
      store(own, X.row(j, b));
    }
    for (int k = 0; k < n; ++k) {
      Block<S, W> own = load_block<W>(S(-factors.inverse_pivot(k)), X.row(k, b));
      take(steps.above(k), own);
      store(own, X.row(k, b));
    }
  }
}

/// X = −A B, A n × n (row by row), B and X n rows each.
template <class S>
void minus_product(int n, const S* A, const PaddedRows<S>& B, PaddedRows<S>& X) noexcept {
  constexpr int W = PaddedRows<S>::vectors;
  for (int b = 0; b < X.blocks(); ++b)
    for (int i = 0; i < n; ++i) {
      Block<S, W> own = zero_block<S, W>();
      for (int k = 0; k < n; ++k) subtract(A[i * n + k], B.row(k, b), own);
      store(own, X.row(i, b));
    }
}

}  // namespace sparsedyn
