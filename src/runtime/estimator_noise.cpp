// What may change between samples under one plan: deviations of the readings, and their offsets.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {
namespace {

bool is_deviation(double sigma) { return sigma >= 1e-100 && sigma <= 1e100; }

/// Calls f(row) for the rows of the sensor of that name, or for the row of that column.
template <class F>
void for_rows(const System& system, std::string_view name, F&& f) {
  for (const Measurement& m : system.measurements()) {
    const bool whole = system.sensors().sensors[static_cast<std::size_t>(m.sensor)].name == name;
    for (int k = 0; k < m.rows(); ++k)
      if (whole || m.columns[static_cast<std::size_t>(k)] == name) f(m.first_row + k);
  }
}

}  // namespace

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

bool Estimator::set_sigma(int row, double sigma) noexcept {
  const bool is_noisy = row >= 0 && row < static_cast<int>(sigma_.size()) && sigma_[row] > 0;
  if (!is_noisy || !is_deviation(sigma)) return false;
  sigma_[row] = sigma;
  inverse_sigma_[row] = 1.0 / sigma;
  return true;
}

bool Estimator::set_sigma(std::string_view sensor, double sigma) noexcept {
  bool done = false;
  for_rows(*system_, sensor, [&](int row) { done = set_sigma(row, sigma) || done; });
  return done;
}

std::vector<int> Estimator::rows(std::string_view name) const {
  std::vector<int> found;
  for_rows(*system_, name, [&](int row) { found.push_back(row); });
  return found;
}

void Estimator::take_off(TakenOff offsets) {
  const std::size_t n = offsets.rows.size();
  if (offsets.value.size() != n || (!offsets.covariance.empty() && offsets.covariance.size() != n * n) ||
      (n == 0 ? !offsets.open.empty() : offsets.open.size() % n != 0))
    throw std::invalid_argument("offsets: rows, values and covariance are expected to be of one size");
  for (int row : offsets.rows)
    if (row < 0 || row >= static_cast<int>(sigma_.size()) || !(sigma_[row] > 0))
      throw std::invalid_argument("offsets: row " + std::to_string(row) + " is expected to be one with noise");
  offsets_ = std::move(offsets);
  toward_offsets_.assign(n, 0.0);
}

void Estimator::set_offsets(const double* value) noexcept { std::copy_n(value, offsets_.value.size(), offsets_.value.begin()); }

}  // namespace sparsedyn
