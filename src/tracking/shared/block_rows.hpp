// Three rows at a time of matrices of n columns, row by row.
#pragma once

#include "tracking/rotation_vector.hpp"

namespace sparsedyn::tracking {

inline Matrix3 scaled(double s, const Matrix3& A) noexcept {
  Matrix3 B;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) B(i, k) = s * A(i, k);
  return B;
}

/// to += s from, n numbers.
inline void add_scaled(double s, const double* from, double* to, int n) noexcept {
  for (int c = 0; c < n; ++c) to[c] += s * from[c];
}

/// Three rows `to` += M times three rows `from`.
inline void add_rows(const Matrix3& M, const double* from, double* to, int n) noexcept {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) add_scaled(M(i, k), from + k * n, to + i * n, n);
}

}  // namespace sparsedyn::tracking
