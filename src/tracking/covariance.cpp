#include "tracking/covariance.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::tracking {

void Covariance::clear() noexcept { std::fill(values.begin(), values.end(), 0.0); }

bool Covariance::sound() const noexcept {
  double sum = 0;
  for (double x : values) sum += x * 0;
  for (int i = 0; i < n; ++i)
    if (!(at(i, i) >= 0)) return false;
  return sum == 0;
}

double Covariance::take(const SparseRow& h, double* mean, RowRecord* record) noexcept {
  double* const column = column_.data();
  std::fill(column_.begin(), column_.end(), 0.0);
  double innovation = h.z;
  for (int k = 0; k < h.count; ++k) {
    const double* const from = row(h.index[k]);
    const double x = h.value[k];
    for (int i = 0; i < n; ++i) column[i] += x * from[i];
    innovation -= x * mean[h.index[k]];
  }
  double variance = h.noise;
  for (int k = 0; k < h.count; ++k) variance += h.value[k] * column[h.index[k]];
  const double scale = 1 / variance;
  for (int i = 0; i < n; ++i) {
    const double gain = column[i] * scale;
    double* const to = row(i);
    for (int j = 0; j < n; ++j) to[j] -= gain * column[j];
    mean[i] += gain * innovation;
  }
  if (record) {
    record->count = h.count;
    std::copy(h.index, h.index + h.count, record->index.begin());
    std::copy(h.value, h.value + h.count, record->value.begin());
    for (int i = 0; i < n; ++i) record->gain[static_cast<std::size_t>(i)] = column[i] * scale;
    record->innovation = innovation, record->variance = variance;
  }
  return innovation * innovation * scale;
}

}  // namespace sparsedyn::tracking
