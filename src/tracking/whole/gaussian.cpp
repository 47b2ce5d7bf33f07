#include "tracking/whole/gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "tracking/shared/block_rows.hpp"
#include "tracking/shared/wide_rows.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double exact_share = 1e-10;  // of the variance that an exact row finds: what rounding leaves of its digits

std::size_t square_of(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

/// A row that said nothing.
void say_nothing(DenseRowRecord* record) noexcept {
  if (!record) return;
  record->variance = 1, record->innovation = 0;
  std::fill(record->h.begin(), record->h.end(), 0.0), std::fill(record->gain.begin(), record->gain.end(), 0.0);
}

}  // namespace

Gaussian::Gaussian(int size)
    : n(size),
      mean(static_cast<std::size_t>(size), 0.0),
      P(square_of(size), 0.0),
      wide_(&wide_rows()),
      column_(static_cast<std::size_t>(size)),
      columns_(column_.size() * most_waiting),
      alone_(column_.size(), 0),
      ranges_(column_.size() + 1, ErrorRange{0, size}),
      nonzero_(column_.size()),
      entries_(column_.size()) {}

/// A range for each stretch of errors that depend on others.
void Gaussian::list_ranges() noexcept {
  range_count_ = 0;
  for (int i = 0; i < n; ++i) {
    if (alone_[static_cast<std::size_t>(i)]) continue;
    const int first = i;
    while (i < n && !alone_[static_cast<std::size_t>(i)]) ++i;
    ranges_[static_cast<std::size_t>(range_count_++)] = {first, i};
  }
}

void Gaussian::couple_all() noexcept {
  std::fill(alone_.begin(), alone_.end(), 0);
  list_ranges();
}

void Gaussian::become(const Gaussian& other) noexcept {
  std::copy(other.mean.begin(), other.mean.end(), mean.begin());
  std::copy(other.P.begin(), other.P.end(), P.begin());
  std::copy(other.alone_.begin(), other.alone_.end(), alone_.begin());
  std::copy_n(other.ranges_.begin(), other.range_count_, ranges_.begin());
  range_count_ = other.range_count_, waiting_ = 0;
}

/// What a row reads becomes dependent; lists the row's entries.
void Gaussian::couple_with(const double* h) noexcept {
  nonzero_.clear(), entries_.clear();  // their memory stays
  bool changed = false;
  for (int k = 0; k < n; ++k) {
    if (h[k] == 0) continue;
    nonzero_.push_back(k), entries_.push_back(h[k]);
    char& alone = alone_[static_cast<std::size_t>(k)];
    changed = changed || alone;
    alone = 0;
  }
  if (changed) list_ranges();
}

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

/// The innovation, and column_ = P h.
Gaussian::Found Gaussian::predict(const double* h, double z) noexcept {
  double* const column = column_.data();
  couple_with(h);
  const int entries = static_cast<int>(nonzero_.size());
  std::fill(column_.begin(), column_.end(), 0.0);
  double along[most_waiting];  // what waits takes off P h: −s (h·c) of its columns c
  int order[most_waiting];
  for (int w = 0; w < waiting_; ++w) {
    double product = 0;
    for (int k = 0; k < entries; ++k)
      product += entries_[static_cast<std::size_t>(k)] *
                 columns_[static_cast<std::size_t>(w * n + nonzero_[static_cast<std::size_t>(k)])];
    along[w] = -scales_[w] * product, order[w] = w;
  }
  for (int r = 0; r < range_count_; ++r) {
    const int first = ranges_[static_cast<std::size_t>(r)].first, length = ranges_[static_cast<std::size_t>(r)].last - first;
    wide_->add_rows(P.data() + first, n, nonzero_.data(), entries_.data(), entries, length, column + first);
    wide_->add_rows(columns_.data() + first, n, order, along, waiting_, length, column + first);
  }
  double innovation = z, prior = 0;
  for (int k = 0; k < entries; ++k) {
    const auto at_entry = static_cast<std::size_t>(nonzero_[static_cast<std::size_t>(k)]);
    innovation -= entries_[static_cast<std::size_t>(k)] * mean[at_entry],
        prior += entries_[static_cast<std::size_t>(k)] * column_[at_entry];
  }
  return {0, prior, 0, innovation};
}

/// By a row with that innovation and its variance.
void Gaussian::move(const double* h, const Found& found, DenseRowRecord* record) noexcept {
  const double* const column = column_.data();
  const double scale = 1 / found.variance;
  for (int i = 0; i < n; ++i) mean[static_cast<std::size_t>(i)] += column[i] * scale * found.innovation;
  std::copy_n(column, n, columns_.data() + waiting_ * n);
  scales_[waiting_++] = scale;
  if (record) {
    std::copy_n(h, n, record->h.data());
    for (int i = 0; i < n; ++i) record->gain[static_cast<std::size_t>(i)] = column[i] * scale;
    record->innovation = found.innovation, record->variance = found.variance;
  }
  if (waiting_ == most_waiting) settle();
}

Gaussian::Found Gaussian::take(const double* h, double z, double variance, DenseRowRecord* record) noexcept {
  Found found = predict(h, z);
  found.variance = found.prior + (variance > 0 ? variance : exact_share * found.prior);
  if (!(found.variance > 0)) {  // nothing is open, nothing is said
    say_nothing(record);
    return {0, 0, 0};
  }
  found.square = found.innovation * found.innovation / found.variance;
  move(h, found, record);
  return found;
}

/// A row of the noise −variance: 1/(h P h − r) adds to the information what 1/r had.
Gaussian::Found Gaussian::take_back(const double* h, double z, double variance, DenseRowRecord* record) noexcept {
  Found found = predict(h, z);
  found.variance = found.prior - variance;
  if (!(found.variance < 0)) {
    say_nothing(record);
    return {0, 0, 0};
  }
  found.square = found.innovation * found.innovation / found.variance;
  move(h, found, record);
  return found;
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
  if (waiting_ == 0) return;
  wide_->subtract_squares(P.data(), columns_.data(), scales_, fill_up(waiting_), n, ranges_.data(), range_count_);
  for (int r = 0; r < range_count_; ++r)
    for (int i = ranges_[static_cast<std::size_t>(r)].first; i < ranges_[static_cast<std::size_t>(r)].last; ++i)
      for (int other = 0; other <= r; ++other)
        for (int j = ranges_[static_cast<std::size_t>(other)].first;
             j < std::min(i, ranges_[static_cast<std::size_t>(other)].last); ++j)
          row(j)[i] = row(i)[j];
  waiting_ = 0;
}

void Gaussian::renew(int i, double mean_of, double variance) noexcept {
  std::fill_n(row(i), n, 0.0);
  for (int k = 0; k < n; ++k) row(k)[i] = 0;
  row(i)[i] = variance;
  mean[static_cast<std::size_t>(i)] = mean_of;
  if (alone_[static_cast<std::size_t>(i)]) return;
  alone_[static_cast<std::size_t>(i)] = 1;
  list_ranges();
}

void Gaussian::add_error(int i, int k, double share) noexcept {
  if (share == 0) return;
  mean[static_cast<std::size_t>(i)] += share * mean[static_cast<std::size_t>(k)];
  add_scaled(share, row(k), row(i), n);
  for (int r = 0; r < n; ++r) row(r)[i] += share * row(r)[k];
  alone_[static_cast<std::size_t>(i)] = alone_[static_cast<std::size_t>(k)] = 0;
  list_ranges();
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
