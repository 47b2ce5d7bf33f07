// An error beside its covariance.
#pragma once

#include <cmath>
#include <limits>

namespace sparsedyn::tracking {

/// eᵀ P⁻¹ e / n by Cholesky's factor: L Lᵀ = P, L z = e, Σ z². P(i, k): an entry of the lower triangle, n × n. least: of a
/// square on the factor's diagonal, given P(i, i). NaN where one is not above it. L: n², scratch. e: n, becomes z.
template <class Entry, class Least>
double mean_normal_square(int n, const Entry& P, const Least& least, double* L, double* e) noexcept {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= i; ++k) {
      double entry = P(i, k);
      for (int c = 0; c < k; ++c) entry -= L[i * n + c] * L[k * n + c];
      if (k < i) {
        L[i * n + k] = entry / L[k * n + k];
        continue;
      }
      if (!(entry > least(P(i, i)))) return std::numeric_limits<double>::quiet_NaN();
      L[i * n + i] = std::sqrt(entry);
    }
    double z = e[i];
    for (int c = 0; c < i; ++c) z -= L[i * n + c] * e[c];
    e[i] = z / L[i * n + i];
    sum += e[i] * e[i];
  }
  return sum / n;
}

}  // namespace sparsedyn::tracking
