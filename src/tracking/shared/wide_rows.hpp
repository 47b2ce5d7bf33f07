// The loops over a covariance that rows spend their time in, by the widest vectors of the processor. No fused additions, so
// every processor gets the same numbers.
#pragma once

namespace sparsedyn::tracking {

struct WideRows {
  /// to += Σ h[k] (row k of P), n numbers each; h's zeros are passed over.
  void (*add_products)(const double* P, const double* h, int n, double* to) noexcept;
  /// to −= Σ s (c·h) c over `count` columns c, n numbers each; count: a multiple of four.
  void (*subtract_along)(const double* columns, const double* s, int count, const double* h, int n, double* to) noexcept;
  /// The lower half of P −= Σ s c cᵀ over `count` columns c, n numbers each; count: a multiple of four.
  void (*subtract_squares)(double* P, const double* columns, const double* s, int count, int n) noexcept;
};

/// Of this processor.
const WideRows& wide_rows() noexcept;

}  // namespace sparsedyn::tracking
