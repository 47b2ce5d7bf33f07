// Least squares with bounds, of a few unknowns.
#pragma once

#include <array>
#include <limits>

namespace sparsedyn::inspection {

/// Normal equations of y = Σ x_k c_k, for columns x_k given row by row.
template <std::size_t N>
struct BoundedFit {
  std::array<std::array<double, N>, N> A{};
  std::array<double, N> b{}, lower{}, upper{}, c{};
  double yy = 0, count = 0;

  BoundedFit() {
    lower.fill(-std::numeric_limits<double>::infinity());
    upper.fill(std::numeric_limits<double>::infinity());
  }
  void add(const std::array<double, N>& row, double y) {
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t k = 0; k < N; ++k) A[i][k] += row[i] * row[k];
      b[i] += row[i] * y;
    }
    yy += y * y, count += 1;
  }
  /// Coordinate descent, which keeps bounds and ends where no coordinate alone improves: for a convex sum of squares the
  /// minimum. Returns the sum of squares that is left.
  double solve() {
    for (std::size_t k = 0; k < N; ++k) c[k] = clamp(0, k);
    for (int sweep = 0; sweep < 400; ++sweep) {
      double moved = 0;
      for (std::size_t k = 0; k < N; ++k) {
        if (!(A[k][k] > 0)) continue;
        double slope = b[k];
        for (std::size_t j = 0; j < N; ++j) slope -= A[k][j] * c[j];
        const double next = clamp(c[k] + slope / A[k][k], k);
        const double d = next - c[k];
        moved += d * d * A[k][k], c[k] = next;
      }
      if (moved <= 1e-14 * yy) break;
    }
    return left();
  }
  double left() const {
    double sum = yy;
    for (std::size_t i = 0; i < N; ++i) {
      sum -= 2 * c[i] * b[i];
      for (std::size_t k = 0; k < N; ++k) sum += c[i] * A[i][k] * c[k];
    }
    return sum > 0 ? sum : 0;
  }

 private:
  double clamp(double x, std::size_t k) const { return x < lower[k] ? lower[k] : x > upper[k] ? upper[k] : x; }
};

}  // namespace sparsedyn::inspection
