#include "sparsedyn/sparse/detail/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

DenseLU::DenseLU(const Pattern& pattern)
    : pattern_(pattern), n_(pattern.rows), entries_(static_cast<std::size_t>(n_) * n_), scale_(n_), row_(n_), pivot_(n_) {}

void DenseLU::scatter(const double* values) noexcept {
  std::fill(entries_.begin(), entries_.end(), 0.0);
  for (int r = 0; r < n_; ++r) {
    double largest = 0;
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e) largest = std::max(largest, std::abs(values[e]));
    scale_[r] = largest > 0 ? 1 / largest : 0;
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e) at(r, pattern_.column[e]) = values[e] * scale_[r];
  }
}

void DenseLU::choose_pivot_row(int k) noexcept {
  int best = k;
  for (int i = k + 1; i < n_; ++i)
    if (std::abs(at(row_[i], k)) > std::abs(at(row_[best], k))) best = i;
  std::swap(row_[k], row_[best]);
}

void DenseLU::eliminate(int k) noexcept {
  const double pivot = at(row_[k], k);
  const double* upper = &at(row_[k], 0);
  for (int i = k + 1; i < n_; ++i) {
    double* row = &at(row_[i], 0);
    if (row[k] == 0) continue;
    const double factor = row[k] /= pivot;
    for (int j = k + 1; j < n_; ++j) row[j] -= factor * upper[j];
  }
}

bool DenseLU::factor(const double* values) noexcept {
  scatter(values);
  std::iota(row_.begin(), row_.end(), 0);
  singular_column_ = -1;
  const double smallest = n_ * std::numeric_limits<double>::epsilon();
  for (int k = 0; k < n_; ++k) {
    choose_pivot_row(k);
    if (!(std::abs(at(row_[k], k)) > smallest)) {
      singular_column_ = k;
      return false;
    }
    eliminate(k);
  }
  return true;
}

bool DenseLU::doubtful() const noexcept {
  for (int k = 0; k < n_; ++k)
    if (std::abs(at(row_[k], k)) < ZeroFillLU<double>::doubtful_pivot) return true;
  return false;
}

bool DenseLU::withstands(const double* values, const double* moved) noexcept {
  for (int k = 0; k < n_; ++k) pivot_[k] = at(row_[k], k);
  scatter(moved);
  int vanishing = -1;
  for (int k = 0; k < n_ && vanishing < 0; ++k) {
    if (!(std::abs(at(row_[k], k) - pivot_[k]) < 0.1 * std::abs(pivot_[k]))) vanishing = k;
    eliminate(k);
  }
  factor(values);
  singular_column_ = vanishing;
  return vanishing < 0;
}

void DenseLU::solve(const double* right_side, double* x) const noexcept {
  for (int k = 0; k < n_; ++k) {
    double sum = right_side[row_[k]] * scale_[row_[k]];
    for (int j = 0; j < k; ++j) sum -= at(row_[k], j) * x[j];
    x[k] = sum;
  }
  for (int k = n_; k-- > 0;) {
    for (int j = k + 1; j < n_; ++j) x[k] -= at(row_[k], j) * x[j];
    x[k] /= at(row_[k], k);
  }
}

/// Aᵀ = Uᵀ Lᵀ P R⁻¹.
void DenseLU::solve_transposed(const double* c, double* z) noexcept {
  std::copy_n(c, n_, pivot_.data());
  for (int k = 0; k < n_; ++k) {
    pivot_[k] /= at(row_[k], k);
    for (int j = k + 1; j < n_; ++j) pivot_[j] -= at(row_[k], j) * pivot_[k];
  }
  for (int k = n_; k-- > 0;)
    for (int j = 0; j < k; ++j) pivot_[j] -= at(row_[k], j) * pivot_[k];
  for (int k = 0; k < n_; ++k) z[row_[k]] = scale_[row_[k]] * pivot_[k];
}

}  // namespace sparsedyn
