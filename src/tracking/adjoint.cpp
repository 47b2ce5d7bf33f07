#include <algorithm>

#include "tracking/base_filter.hpp"

namespace sparsedyn::tracking {
namespace {

/// Λ becomes (1 − k h)ᵀ Λ (1 − k h) + hᵀ h / s, λ becomes (1 − k h)ᵀ λ − hᵀ e / s.
void back_over_row(const RowRecord& row, bool with_covariance, Adjoint& to, double* product) noexcept {
  const int n = to.n;
  double along = row.innovation / row.variance;
  for (int i = 0; i < n; ++i) along += row.gain[static_cast<std::size_t>(i)] * to.lambda[static_cast<std::size_t>(i)];
  for (int c = 0; c < row.count; ++c)
    to.lambda[static_cast<std::size_t>(row.index[static_cast<std::size_t>(c)])] -=
        row.value[static_cast<std::size_t>(c)] * along;
  if (!with_covariance) return;
  double square = 1 / row.variance;
  for (int i = 0; i < n; ++i) {
    const double* const from = to.information.row(i);
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += from[k] * row.gain[static_cast<std::size_t>(k)];
    product[i] = sum;
    square += row.gain[static_cast<std::size_t>(i)] * sum;
  }
  for (int c = 0; c < row.count; ++c) {
    const int at = row.index[static_cast<std::size_t>(c)];
    const double h = row.value[static_cast<std::size_t>(c)];
    double* const line = to.information.row(at);
    for (int i = 0; i < n; ++i) line[i] -= h * product[i];
  }
  for (int c = 0; c < row.count; ++c) {
    const int at = row.index[static_cast<std::size_t>(c)];
    const double h = row.value[static_cast<std::size_t>(c)];
    for (int i = 0; i < n; ++i) to.information.row(i)[at] -= h * product[i];
    for (int d = 0; d < row.count; ++d)
      to.information.row(at)[row.index[static_cast<std::size_t>(d)]] += h * row.value[static_cast<std::size_t>(d)] * square;
  }
}

}  // namespace

void Adjoint::clear() noexcept {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  information.clear();
}

void Adjoint::back_over(const Layout& layout, const BaseRecord& record, bool with_covariance,
                        std::vector<double>& scratch) noexcept {
  for (int k = record.taken; k-- > 0;)
    back_over_row(record.rows[static_cast<std::size_t>(k)], with_covariance, *this, scratch.data());
  carry_back(layout, record.F, lambda.data());
  if (!with_covariance) return;
  for (int pass = 0; pass < 2; ++pass) {  // Fᵀ (Fᵀ Λ)ᵀ: Λ is symmetric, and its rows are carried back one by one
    for (int i = 0; i < n; ++i) carry_back(layout, record.F, information.row(i));
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < i; ++k) std::swap(information.row(i)[k], information.row(k)[i]);
  }
}

void smoothed(const Layout& layout, const BaseRecord& record, const Adjoint& after, Knot& x, Covariance* P,
              std::vector<double>& scratch) noexcept {
  const int n = after.n;
  copy(record.x, x);
  double* const mean = scratch.data();
  for (int i = 0; i < n; ++i) {
    const double* const from = record.P.row(i);
    double sum = record.mean[static_cast<std::size_t>(i)];
    for (int k = 0; k < n; ++k) sum -= from[k] * after.lambda[static_cast<std::size_t>(k)];
    mean[i] = sum;
  }
  retract(layout, mean, x);
  if (!P) return;
  for (int i = 0; i < n; ++i) {  // scratch = P Λ
    double* const to = scratch.data() + i * n;
    std::fill(to, to + n, 0.0);
    for (int k = 0; k < n; ++k) {
      const double entry = record.P.at(i, k);
      const double* const from = after.information.row(k);
      for (int j = 0; j < n; ++j) to[j] += entry * from[j];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = record.P.at(i, j);
      for (int k = 0; k < n; ++k) sum -= scratch[static_cast<std::size_t>(i * n + k)] * record.P.at(k, j);
      P->row(i)[j] = sum;
    }
}

}  // namespace sparsedyn::tracking
