// Products of vectors, summed from the first entry on.
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn {

inline double product(const double* a, const double* b, std::size_t n) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
/// Of equal length.
inline double product(const std::vector<double>& a, const std::vector<double>& b) noexcept {
  return product(a.data(), b.data(), a.size());
}

}  // namespace sparsedyn
