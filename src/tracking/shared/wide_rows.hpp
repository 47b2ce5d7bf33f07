// The loops over a covariance that rows spend their time in, by the widest vectors of the processor. No fused additions, so
// every processor gets the same numbers.
#pragma once

namespace sparsedyn::tracking {

/// Errors from `first` on, before `last`.
struct ErrorRange {
  int first, last;
};

struct WideRows {
  /// to[0 … length) += Σ x[k] (row index[k] of P), rows of n numbers, `count` of them; P and `to` begin at the same column.
  void (*add_rows)(const double* P, int n, const int* index, const double* x, int count, int length, double* to) noexcept;
  /// The lower half of P −= Σ s c cᵀ over `count` columns c, n numbers each, within the errors of the ranges (ascending);
  /// count: a multiple of four.
  void (*subtract_squares)(double* P, const double* columns, const double* s, int count, int n, const ErrorRange* ranges,
                           int range_count) noexcept;
};

/// Of this processor.
const WideRows& wide_rows() noexcept;

}  // namespace sparsedyn::tracking
