#include "runtime/estimation/reading_offsets.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace sparsedyn {

double TakenOff::variance(const double* t) const noexcept {
  const std::size_t n = rows.size();
  double sum = 0;
  for (std::size_t k = 0; k < n && !covariance.empty(); ++k)
    for (std::size_t l = 0; l < n; ++l) sum += t[k] * covariance[k * n + l] * t[l];
  return sum;
}

bool TakenOff::leave_open(const double* t, double deviation) const noexcept {
  constexpr double leakage = 1e-6;
  const std::size_t n = rows.size();
  for (std::size_t first = 0; first + n <= open.size() && n > 0; first += n) {
    double effect = 0;
    for (std::size_t k = 0; k < n; ++k) effect += t[k] * open[first + k];
    if (std::abs(effect) > leakage * deviation) return true;
  }
  return false;
}

void ReadingOffsets::take_off(TakenOff offsets, const ReadingWeights& weights) {
  const std::size_t n = offsets.rows.size();
  if (offsets.value.size() != n || (!offsets.covariance.empty() && offsets.covariance.size() != n * n) ||
      (n == 0 ? !offsets.open.empty() : offsets.open.size() % n != 0))
    throw std::invalid_argument("offsets: rows, values and covariance are expected to be of one size");
  for (int row : offsets.rows)
    if (!weights.is_noisy(row))
      throw std::invalid_argument("offsets: row " + std::to_string(row) + " is expected to be one with noise");
  offsets_ = std::move(offsets);
  toward_.assign(n, 0.0);
}

void ReadingOffsets::set(const double* value) noexcept { std::copy_n(value, offsets_.value.size(), offsets_.value.begin()); }

}  // namespace sparsedyn
