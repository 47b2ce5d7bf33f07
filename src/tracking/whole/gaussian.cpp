#include "tracking/whole/gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "tracking/shared/wide_rows.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double exact_share = 1e-10;  // of the variance that an exact row finds: what rounding leaves of its digits

std::size_t square_of(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

}  // namespace

Gaussian::Gaussian(int size)
    : n(size),
      mean(static_cast<std::size_t>(size), 0.0),
      P(square_of(size), 0.0),
      wide_(&wide_rows()),
      column_(static_cast<std::size_t>(size)),
      columns_(column_.size() * most_waiting) {}

bool Gaussian::sound() const noexcept {
  double sum = 0;
  for (double x : P) sum += x * 0;
  for (double x : mean) sum += x * 0;
  for (int i = 0; i < n; ++i)
    if (!(at(i, i) >= 0)) return false;
  return sum == 0;
}

double Gaussian::variance_of(const double* h) const noexcept {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (h[i] == 0) continue;
    const double* const from = row(i);
    double along = 0;
    for (int k = 0; k < n; ++k) along += from[k] * h[k];
    sum += h[i] * along;
  }
  return sum;
}

Gaussian::Found Gaussian::take(const double* h, double z, double variance, DenseRowRecord* record) noexcept {
  double* const column = column_.data();
  std::fill(column_.begin(), column_.end(), 0.0);
  double innovation = z, prior = 0;
  wide_->add_products(P.data(), h, n, column);
  for (int k = 0; k < n; ++k) innovation -= h[k] * mean[static_cast<std::size_t>(k)];
  wide_->subtract_along(columns_.data(), scales_, fill_up(waiting_), h, n, column);
  for (int k = 0; k < n; ++k) prior += h[k] * column[k];
  const double sum = prior + (variance > 0 ? variance : exact_share * prior);
  if (!(sum > 0)) {  // nothing is open, nothing is said
    if (!record) return {0, 0, 0};
    record->variance = 1, record->innovation = 0;
    std::fill(record->h.begin(), record->h.end(), 0.0), std::fill(record->gain.begin(), record->gain.end(), 0.0);
    return {0, 0, 0};
  }
  const double scale = 1 / sum;
  for (int i = 0; i < n; ++i) mean[static_cast<std::size_t>(i)] += column[i] * scale * innovation;
  std::copy_n(column, n, columns_.data() + waiting_ * n);
  scales_[waiting_++] = scale;
  if (record) {
    std::copy_n(h, n, record->h.data());
    for (int i = 0; i < n; ++i) record->gain[static_cast<std::size_t>(i)] = column[i] * scale;
    record->innovation = innovation, record->variance = sum;
  }
  if (waiting_ == most_waiting) settle();
  return {innovation * innovation * scale, prior, sum};
}

/// The columns beyond `waiting` up to the next multiple of four, which it returns, are zero.
int Gaussian::fill_up(int waiting) noexcept {
  for (; waiting % 4 != 0; ++waiting) {
    std::fill_n(columns_.data() + waiting * n, n, 0.0);
    scales_[waiting] = 0;
  }
  return waiting;
}

/// P −= Σ c cᵀ s, by four rows at a time: the lower half, then its mirror image.
void Gaussian::settle() noexcept {
  if (waiting_ > 0) wide_->subtract_squares(P.data(), columns_.data(), scales_, fill_up(waiting_), n);
  for (int i = 0; i < n && waiting_ > 0; ++i)
    for (int j = 0; j < i; ++j) row(j)[i] = row(i)[j];
  waiting_ = 0;
}

void Gaussian::renew(int i, double mean_of, double variance) noexcept {
  std::fill_n(row(i), n, 0.0);
  for (int k = 0; k < n; ++k) row(k)[i] = 0;
  row(i)[i] = variance;
  mean[static_cast<std::size_t>(i)] = mean_of;
}

GaussianAdjoint::GaussianAdjoint(int size)
    : n(size),
      lambda(static_cast<std::size_t>(size), 0.0),
      information(square_of(size), 0.0),
      product_(static_cast<std::size_t>(size)) {}

void GaussianAdjoint::clear() noexcept {
  std::fill(lambda.begin(), lambda.end(), 0.0), std::fill(information.begin(), information.end(), 0.0);
}

/// λ becomes (1 − k h)ᵀ λ − hᵀ e / s, Λ becomes (1 − k h)ᵀ Λ (1 − k h) + hᵀ h / s.
void GaussianAdjoint::back_over(const DenseRowRecord& row, bool with_covariance) noexcept {
  const double* const h = row.h.data();
  const double* const gain = row.gain.data();
  double along = row.innovation / row.variance;
  for (int i = 0; i < n; ++i) along += gain[i] * lambda[static_cast<std::size_t>(i)];
  for (int i = 0; i < n; ++i) lambda[static_cast<std::size_t>(i)] -= h[i] * along;
  if (!with_covariance) return;
  double square = 1 / row.variance;
  for (int i = 0; i < n; ++i) {
    const double* const from = information.data() + i * n;
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += from[k] * gain[k];
    product_[static_cast<std::size_t>(i)] = sum;
    square += gain[i] * sum;
  }
  for (int i = 0; i < n; ++i) {  // Λ − h pᵀ − p hᵀ + (kᵀΛk + 1/s) h hᵀ
    double* const to = information.data() + i * n;
    const double hi = h[i], pi = product_[static_cast<std::size_t>(i)], both = hi * square - pi;
    if (hi == 0) {
      for (int k = 0; k < n; ++k) to[k] -= pi * h[k];
      continue;
    }
    for (int k = 0; k < n; ++k) to[k] += both * h[k] - hi * product_[static_cast<std::size_t>(k)];
  }
}

void GaussianAdjoint::forget(int i, bool with_covariance) noexcept {
  lambda[static_cast<std::size_t>(i)] = 0;
  if (!with_covariance) return;
  std::fill_n(information.data() + i * n, n, 0.0);
  for (int k = 0; k < n; ++k) information[static_cast<std::size_t>(k * n + i)] = 0;
}

}  // namespace sparsedyn::tracking
